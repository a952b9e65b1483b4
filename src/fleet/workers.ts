/** Who is in a fleet: what its workers say of themselves. */
import * as v from "valibot";
import type { Redis } from "../host/index.ts";
import { fleetKeys, silentSeconds, type WorkerState } from "./names.ts";

const stateShape = v.object({
  host: v.string(),
  build: v.string(),
  slots: v.pipe(v.number(), v.integer(), v.minValue(0)),
  busy: v.number(),
  units: v.number(),
  failed: v.number(),
  seen: v.number(),
});

function stateFrom(text: string): WorkerState | undefined {
  try {
    const state: unknown = JSON.parse(text);
    return v.is(stateShape, state) ? state : undefined;
  } catch {
    return undefined;
  }
}

/** By Redis' clock: computers' own differ. */
export async function redisMilliseconds(redis: Redis): Promise<number> {
  const [seconds, microseconds] = await redis.time();
  return 1000 * Number(seconds) + Math.floor(Number(microseconds) / 1000);
}

export async function liveWorkers(redis: Redis, fleet: string): Promise<readonly WorkerState[]> {
  const now = await redisMilliseconds(redis);
  const states = Object.values(await redis.hgetall(fleetKeys(fleet).workers)).map(stateFrom);
  return states.filter((state) => state !== undefined).filter(({ seen }) => now - seen < 1000 * silentSeconds);
}
