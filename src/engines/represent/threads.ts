/**
 * What the threads of a traced run know of each other, where the machine noted it: whether what one of them did happens before what
 * another does. Always: events of one thread are in its own order; of two threads, only what is known to be ordered is.
 */
import { type HappensBefore, happensBeforeIn } from "../../exploration/persist-order/index.ts";
import type { TracedRun } from "../../session/subject/index.ts";

export interface ThreadEvent {
  readonly thread: number;
  readonly event: number;
}

export type Precedence = (earlier: ThreadEvent, later: ThreadEvent) => boolean;

/** Undefined where one thread was alone all the time, or nobody noted what threads read: the trace's order counts then. */
export const precedenceIn = (run: Pick<TracedRun, "trace" | "threadOrder">): Precedence | undefined =>
  run.threadOrder && precedenceBy(happensBeforeIn(run));

export function precedenceBy(order: HappensBefore): Precedence {
  // Who asks goes from one event to the next.
  let latest: (ThreadEvent & { readonly seen: readonly number[] }) | undefined;
  return (earlier, { thread, event }) => {
    if (earlier.thread === thread) return order.clockOf(earlier.event) < order.clockOf(event);
    if (latest?.event !== event || latest.thread !== thread)
      latest = { thread, event, seen: order.seen(thread, order.clockOf(event)) };
    return (latest.seen[earlier.thread] ?? -1) >= order.clockOf(earlier.event);
  };
}
