/** What several rules say in the same way. */
import { describeStore, type Evidence, type Mark } from "../../../crash/finding/index.ts";
import type { Platform } from "../../../model/pmem/index.ts";
import type { PmMode } from "../rule.ts";

export const everyPlatform: readonly Platform[] = ["px86", "strict", "eadr"];
/** Where a store is safe only once it was flushed. */
export const volatileCaches: readonly Platform[] = ["px86", "strict"];
export const everyMode: readonly PmMode[] = ["dax", "msync"];
export const daxOnly: readonly PmMode[] = ["dax"];

export const evidence = (says: string, mark: Mark): Evidence => ({ says, mark });
export const storedHere = (mark: Mark): Evidence => evidence(`${describeStore(mark)} stored here`, mark);
