/** How long a command may take and how much memory this process may hold: asked every so often while it works. */
import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Stopped } from "../base/index.ts";
import { monotonicSeconds } from "./clock.ts";

export interface AlarmLimits {
  /** From now on; none if undefined. */
  readonly seconds?: number | undefined;
  /** Of memory that this process holds, all threads together. */
  readonly bytes?: number | undefined;
}

const mostBytes = 8 * 2 ** 30;
/** Asking the system costs a little. */
const pauseSeconds = 0.05;

/** Half of what there is, of the machine or of the container that this runs in. */
export function defaultHostMemory(): number {
  const constrained = process.constrainedMemory();
  const there = constrained > 0 && constrained < totalmem() ? constrained : totalmem();
  return Math.min(mostBytes, Math.floor(there / 2));
}

/** What is garbage does not count; looking for it takes long, so it is looked for only when that matters. */
function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
}

/** Where there is no /proc, nobody knows what is resident: what V8 has of its own and holds for others is nearest. */
function heldBytes(): number {
  try {
    return process.memoryUsage.rss();
  } catch {
    const { total_physical_size: own, external_memory: held, malloced_memory: more } = getHeapStatistics();
    return own + held + more;
  }
}

const isOver = (bytes: number): boolean => heldBytes() > bytes;

/** A function that throws `Stopped` once a limit is met. */
export function startAlarm({ seconds, bytes = defaultHostMemory() }: AlarmLimits): () => void {
  const deadline = seconds === undefined ? Number.POSITIVE_INFINITY : monotonicSeconds() + seconds;
  let next = 0;
  return () => {
    const now = monotonicSeconds();
    if (now > deadline) throw new Stopped("time", `its time, ${seconds} s (--time), is over`);
    if (now < next) return;
    if (isOver(bytes)) {
      collectGarbage();
      if (isOver(bytes))
        throw new Stopped(
          "host-memory",
          `Blackout holds more than its limit of ${bytes} bytes of memory; raise it with --max-host-memory`,
        );
    }
    next = monotonicSeconds() + pauseSeconds;
  };
}
