/** Redis and BullMQ, which are there only where somebody installed them. */
import { createRequire } from "node:module";
import { InputError } from "../base/index.ts";

export type { Job, Queue, QueueEvents, Worker } from "bullmq";
export type { Redis } from "ioredis";

type FleetModules = typeof import("bullmq") & { readonly Redis: typeof import("ioredis").Redis };

export function fleetModules(): FleetModules {
  const load = createRequire(import.meta.url);
  try {
    return {
      ...(load("bullmq") as typeof import("bullmq")),
      Redis: (load("ioredis") as typeof import("ioredis")).Redis,
    };
  } catch {
    throw new InputError(
      "fleet/modules",
      "A fleet needs two packages that are not installed beside Blackout: npm install bullmq ioredis.",
    );
  }
}
