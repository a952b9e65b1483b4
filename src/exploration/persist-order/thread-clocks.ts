/**
 * Happens-before of a run whose machine noted what threads read of each other (machine/schedule/meetings.ts). Always:
 * - A store's clock is the number of an event of its thread, and counts up as the thread issues its stores: what a non-temporal
 *   store overtakes on its way to memory is still older or younger than it.
 * - What one thread did while it was alone, all threads have seen.
 */
import { assert } from "../../base/index.ts";
import { isStep, type ReadOfStore, stepsIn, type ThreadOrder } from "../../machine/index.ts";
import type { Trace } from "../../trace/events/index.ts";
import { codeIn, isFurtherPiece, recordWords, threadIn } from "../../trace/record/index.ts";
import type { ClockVector } from "./clocks.ts";
import type { HappensBefore } from "./happens-before.ts";

const nothing: ClockVector = [];

/** How many of a sequence a test is true for, which is so up to some element and not from there on. */
function countWhile<T>(elements: readonly T[], test: (element: T) => boolean): number {
  let [from, to] = [0, elements.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (test(elements[middle]!)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** A store's place among those of its thread. */
export interface ClockedPlace {
  /** As traces number threads. */
  readonly thread: number;
  readonly clock: number;
}

export class ThreadClocks implements HappensBefore {
  readonly #order: ThreadOrder;
  /** By thread: the events of its steps, in order, from the one on at which there were several threads. */
  readonly #events = new Map<number, number[]>();
  /** Events that are a further piece of the store before them. */
  readonly #further = new Set<number>();
  /** By event: the clock of a store that became visible out of its turn. */
  readonly #moved = new Map<number, number>();

  constructor(trace: Trace, order: ThreadOrder) {
    this.#order = order;
    this.#collect(trace);
    for (const [thread, events] of this.#events) {
      const visible = order.visible.get(thread) ?? [];
      assert(visible.length === events.length, "a thread's steps are those that its trace has");
      for (const [at, number] of visible.entries())
        if (number !== at + 1) this.#moved.set(events[at]!, events[number - 1]!);
    }
  }

  #collect(trace: Trace): void {
    let first = 0;
    for (const words of trace.batches()) {
      for (let at = 0; at < words.length; at += recordWords) {
        const event = first + at / recordWords;
        const head = words[at]!;
        if (event < this.#order.from || !isStep(codeIn(head))) continue;
        if (isFurtherPiece(head)) this.#further.add(event);
        this.#eventsOf(threadIn(head)).push(event);
      }
      first += words.length / recordWords;
    }
  }

  #eventsOf(thread: number): number[] {
    const events = this.#events.get(thread) ?? [];
    this.#events.set(thread, events);
    return events;
  }

  get isInTurn(): boolean {
    return this.#moved.size === 0;
  }

  clockOf(event: number): number {
    return this.#moved.get(event) ?? event;
  }

  /** Its number as meetings count, from 1 on; 0 for one from before. */
  #numberOf({ thread, clock }: ClockedPlace): number {
    const events = this.#eventsOf(thread);
    return clock < this.#order.from ? 0 : countWhile(events, (event) => event < clock) + 1;
  }

  #seenAt(place: ClockedPlace): ReadonlyMap<number, number> | undefined {
    const number = this.#numberOf(place);
    const views = this.#order.views.get(place.thread) ?? [];
    return views[countWhile(views, ({ from }) => from <= number) - 1]?.seen;
  }

  seen(thread: number, clock: number): ClockVector {
    const seen = clock < this.#order.from ? undefined : this.#seenAt({ thread, clock });
    if (seen === undefined) return nothing;
    const clocks: number[] = [];
    for (const [of, progress] of seen) {
      clocks[of] = this.#clockAt(of, stepsIn(progress));
    }
    return clocks;
  }

  #clockAt(thread: number, steps: number): number {
    return steps === 0 ? this.#order.from - 1 : this.#eventsOf(thread)[steps - 1]!;
  }

  /** Up to which event a thread could still have done something about its store before the later one happens. */
  lastBefore({ thread }: ClockedPlace, later: ClockedPlace): number | undefined {
    const seen = this.#seenAt(later)?.get(thread);
    return seen === undefined ? undefined : this.#clockAt(thread, stepsIn(seen));
  }

  /** Whether all that is known of a store, where the later one is made, is that it was read: its thread need not have gone on. */
  isReadAtOnce(store: ClockedPlace, later: ClockedPlace): boolean {
    if (store.thread === later.thread) return false;
    return this.#seenAt(later)?.get(store.thread) === 2 * this.#lastPiece(store);
  }

  #lastPiece(store: ClockedPlace): number {
    const events = this.#eventsOf(store.thread);
    let number = this.#numberOf(store);
    while (number < events.length && this.#further.has(events[number]!)) number++;
    return number;
  }

  /** The first time that a thread read the store, of those that happen before the later one. */
  readBefore(store: ClockedPlace, later: ClockedPlace): ReadOfStore | undefined {
    const [number, laterNumber] = [this.#lastPiece(store), this.#numberOf(later)];
    const seen = this.#seenAt(later);
    return this.#order.reads.find((read) => {
      if (read.of !== store.thread || read.store !== number) return false;
      if (read.thread === later.thread) return read.after < laterNumber;
      return (seen?.get(read.thread) ?? 0) > 2 * read.after;
    });
  }
}
