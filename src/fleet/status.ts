/** Who is in a fleet and what waits for them, for people. */
import { fleetModules } from "../host/index.ts";
import { connect, type FleetAddress } from "./connection.ts";
import { fleetKeys, queueName, type WorkerState } from "./names.ts";
import { liveWorkers } from "./workers.ts";

export interface FleetStatus {
  readonly workers: readonly WorkerState[];
  /** Units. */
  readonly waiting: number;
  readonly active: number;
}

export async function fleetStatus(address: FleetAddress): Promise<FleetStatus> {
  const redis = await connect(address);
  const { Queue } = fleetModules();
  const queue = new Queue(queueName, { connection: redis, prefix: fleetKeys(address.fleet).prefix });
  try {
    const [workers, waiting, active] = await Promise.all([
      liveWorkers(redis, address.fleet),
      queue.getWaitingCount(),
      queue.getActiveCount(),
    ]);
    return { workers, waiting, active };
  } finally {
    await queue.close();
    redis.disconnect();
  }
}
