/**
 * What happens before what across the threads of a traced run, from what its trace shows: a thread begins after all that its
 * parent did until then. Always: an edge that a trace does not show is not made up; stores without one are not ordered, so that
 * a violation between them is missed and never invented.
 */
import { notesIn, type Trace } from "../trace/index.ts";
import type { ClockVector } from "./clocks.ts";

/** Of each other thread the last store that happens before a store of `thread` that is event `seq`. */
export type SeenBefore = (thread: number, seq: number) => ClockVector;

/** From event `from` on, a thread has seen so much of the others. Clocks are numbers of events. */
interface View {
  readonly from: number;
  readonly others: ClockVector;
}

const nothing: ClockVector = [];

class Views {
  /** By thread, in order. */
  readonly #views = new Map<number, View[]>();

  at(thread: number, seq: number): ClockVector {
    return this.#views.get(thread)?.findLast(({ from }) => from <= seq)?.others ?? nothing;
  }

  /** What `other` had done and seen before the event, `thread` has seen from it on. */
  see(thread: number, other: number, seq: number): void {
    const [own, its] = [this.at(thread, seq), this.at(other, seq)];
    const others = Array.from({ length: Math.max(own.length, its.length, other + 1) }, (_, of) =>
      Math.max(own[of] ?? 0, its[of] ?? 0, of === other ? seq : 0),
    );
    others[thread] = 0;
    this.#views.set(thread, [...(this.#views.get(thread) ?? []), { from: seq, others }]);
  }
}

export function happensBeforeIn(trace: Trace): SeenBefore {
  const views = new Views();
  for (const event of notesIn(trace))
    if (event.kind === "thread-start") views.see(event.thread, event.parent, event.seq);
  return (thread, seq) => views.at(thread, seq);
}
