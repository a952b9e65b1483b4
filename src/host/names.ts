/** Names that nobody else has, and what this computer is called. */
import { randomUUID } from "node:crypto";
import { hostname } from "node:os";

export const freshName = (): string => randomUUID();
export const computerName = (): string => hostname();
