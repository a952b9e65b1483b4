/**
 * What happens before what across the threads of a traced run. Where the machine noted what threads read of each other, that; else
 * what the trace shows: a thread begins after all that its parent did until then, and a locked operation that stores to persistent
 * memory has read what was stored there before. Always: an edge that is not known is not made up; stores without one are not
 * ordered, so that a violation between them is missed and never invented.
 */

import type { ThreadOrder } from "../../machine/index.ts";
import { decodeEvent, notesIn, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import { codeIn, codeOf, recordWords } from "../../trace/record/index.ts";
import type { ClockVector } from "./clocks.ts";
import { ThreadClocks } from "./thread-clocks.ts";

/** A run's stores in their order. Clocks are numbers of events. */
export interface HappensBefore {
  /** Whether every store's clock is its event: none became visible out of its turn. */
  readonly isInTurn: boolean;
  /** Of a store that is this event. */
  clockOf(event: number): number;
  /** Of each other thread the last store that happens before a store of `thread` with this clock. */
  seen(thread: number, clock: number): ClockVector;
}

/** From event `from` on, a thread has seen so much of the others. */
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

  /** From event `from` on, `thread` has seen what `other` had done and seen by event `until`. */
  see(thread: number, from: number, other: number, until: number): void {
    const [own, its] = [this.at(thread, from), this.at(other, until)];
    const others: number[] = [];
    for (const [of, clock] of [...own.entries(), ...its.entries(), [other, until] as const])
      if (clock !== undefined && of !== thread) others[of] = Math.max(others[of] ?? 0, clock);
    this.#views.set(thread, [...(this.#views.get(thread) ?? []), { from, others }]);
  }
}

const wordBytes = 8;
const shownCodes: ReadonlySet<number> = new Set(
  [codeOf.store, codeOf["non-temporal"], codeOf.locked, codeOf["thread-start"]].map(Number),
);

/** The events that order threads, and those that they are about. */
function* telling(trace: Trace): Iterable<TraceEvent> {
  let first = 0;
  for (const words of trace.batches()) {
    const count = words.length / recordWords;
    for (let at = 0; at < count; at++)
      if (shownCodes.has(codeIn(words[at * recordWords]!)))
        yield decodeEvent(words, at, first + at, trace.tables.texts);
    first += count;
  }
}

interface OrderedRun {
  readonly trace: Trace;
  readonly threadOrder: ThreadOrder | undefined;
}

export const happensBeforeIn = ({ trace, threadOrder }: OrderedRun): HappensBefore =>
  threadOrder === undefined ? shownOrder(trace) : new ThreadClocks(trace, threadOrder);

function shownOrder(trace: Trace): HappensBefore {
  const views = new Views();
  const isThreaded = [...notesIn(trace)].some(({ kind }) => kind === "thread-start");
  /** By thread: the site of its locked operation, until the next event shows whether it stores. */
  const locked = new Map<number, number>();
  /** By eight bytes: who stored to them last. */
  const last = new Map<number, TraceEvent>();
  for (const event of isThreaded ? telling(trace) : []) {
    const { thread, seq, site } = event;
    if (event.kind === "thread-start") views.see(thread, seq, event.parent, seq);
    else if (event.kind === "locked") locked.set(thread, site);
    else if (event.kind === "store" || event.kind === "non-temporal") {
      const word = Math.floor(event.address / wordBytes);
      const before = last.get(word);
      const isLocked = locked.get(thread) === site;
      if (isLocked && before !== undefined && before.thread !== thread)
        views.see(thread, seq, before.thread, before.seq);
      locked.delete(thread);
      last.set(word, event);
    }
  }
  return { isInTurn: true, clockOf: (event) => event, seen: (thread, clock) => views.at(thread, clock) };
}
