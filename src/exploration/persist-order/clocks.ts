/**
 * Happens-before over the stores of one execution, as vector clocks (PSan, section 3.4 and its Figure 3). Always:
 * - A thread's own component counts its stores in the order it issued them; the others say what it has seen of them.
 * - Vectors are never changed once a store has one: a store keeps its thread's view and its own number, so that ten
 *   million stores of one thread share a single vector.
 */

/** By thread; what is missing is 0. */
export type ClockVector = readonly number[];

export interface StoreClock {
  readonly thread: number;
  /** Its number among the stores of its thread, from 1 on. */
  readonly clock: number;
  /** The last store of each other thread that happens before it. */
  readonly others: ClockVector;
}

const nothing: ClockVector = [];

export const clockIn = ({ thread, clock, others }: StoreClock, of: number): number =>
  of === thread ? clock : (others[of] ?? 0);

/** A store happens before itself. */
export const happensBefore = (a: StoreClock, b: StoreClock): boolean => clockIn(b, a.thread) >= a.clock;

/** How many threads a store's vector speaks of. */
export const threadsOf = ({ thread, others }: StoreClock): number => Math.max(thread + 1, others.length);

interface View {
  clock: number;
  others: ClockVector;
}

export class Clocks {
  readonly #views = new Map<number, View>();

  /** A thread issues a store. */
  store(thread: number): StoreClock {
    const view = this.#viewOf(thread);
    view.clock++;
    return { thread, clock: view.clock, others: view.others };
  }

  /** A thread reads from a store of the same execution: what happened before that store, happened before what follows. */
  load(thread: number, store: StoreClock): void {
    const view = this.#viewOf(thread);
    const seen: number[] = [];
    let isNew = false;
    for (let of = 0; of < threadsOf(store); of++) {
      const known = of === thread ? view.clock : (view.others[of] ?? 0);
      seen[of] = clockIn(store, of);
      if (seen[of]! > known) isNew = true;
    }
    if (isNew) view.others = joined(view.others, seen);
  }

  /** All that a thread has done and seen so far, for one that it starts, wakes or hands a lock to. */
  now(thread: number): StoreClock {
    const { clock, others } = this.#viewOf(thread);
    return { thread, clock, others };
  }

  #viewOf(thread: number): View {
    let view = this.#views.get(thread);
    if (view === undefined) {
      view = { clock: 0, others: nothing };
      this.#views.set(thread, view);
    }
    return view;
  }
}

const joined = (a: ClockVector, b: ClockVector): ClockVector =>
  Array.from({ length: Math.max(a.length, b.length) }, (_, of) => Math.max(a[of] ?? 0, b[of] ?? 0));
