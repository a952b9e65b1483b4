/**
 * A schedule by chance, in the manner of PCT (Burckhardt et al., ASPLOS 2010): threads have priorities by lot, the highest that
 * can run does, and where a turn ends its thread may fall behind all others. How long turns are, how late stores drain and
 * whether new threads wait for each other is drawn once for a schedule, so that some schedules switch at every access and
 * others seldom. So is what counts as noticeable before two threads have used it: all of it, where everything is used once, but
 * then the libraries' own work has most of the turns. Always: a schedule depends on its seed and on what it was asked.
 */
import { below, pick, type RandomState, seedRandom } from "../../base/index.ts";
import type { BufferDrain, PlannedTurn, SchedulePolicy, Waiting } from "./choices.ts";

/** A turn's noticeable accesses on average. */
const meanPoints = [1, 1, 1, 2, 2, 3, 5, 10, 30, 200] as const;
/** Of four turns' ends, how many change who has priority. */
const changes = [1, 2, 3, 4] as const;
/** Of four chances to drain, how many are taken. */
const drainings = [0, 1, 2, 3, 4, 4] as const;
/** A thread that waits without a noticeable access ends its turn at last. */
const longestTurn = 100_000;
/** Turns in a row, after which another thread's comes: one that waits for others by looking again and again lets them go on. */
const mostInARow = 50;
/** Turns of other threads that one may wait for before its first. */
const mostBefore = 1000;

export class ChanceSchedule implements SchedulePolicy {
  readonly countsPoints = true;
  readonly suspectsAll: boolean;
  readonly #random: RandomState;
  readonly #priorities = new Map<number, number>();
  readonly #points: number;
  readonly #changes: number;
  readonly #draining: number;
  /** Whether threads begin together, once those that were there before have to wait, or have had so many turns. */
  readonly #together: boolean;
  #turnsBefore = 0;
  readonly #begun = new Set<number>();
  #lowest = 0;
  #last: number | undefined;
  #inARow = 0;

  constructor(seed: number) {
    this.#random = seedRandom(seed);
    this.#points = pick(this.#random, meanPoints);
    this.#changes = pick(this.#random, changes);
    this.#draining = pick(this.#random, drainings);
    this.#together = this.#happens(3);
    this.suspectsAll = this.#happens(2);
  }

  #happens(inFour: number): boolean {
    return below(this.#random, 4) < inFour;
  }

  #priority(thread: number): number {
    const known = this.#priorities.get(thread) ?? 1 + below(this.#random, 1 << 20);
    this.#priorities.set(thread, known);
    return known;
  }

  started(parent: number): void {
    this.#begun.add(parent);
  }

  turn(ready: readonly number[], yielded: number | undefined): PlannedTurn {
    if (yielded !== undefined) this.#fallBehind(yielded);
    else if (this.#last !== undefined && (this.#happens(this.#changes) || this.#inARow >= mostInARow))
      this.#fallBehind(this.#last);
    const ranked = this.#begin(ready, yielded !== undefined).map((thread) => ({
      thread,
      priority: this.#priority(thread),
    }));
    const { thread } = ranked.reduce((best, each) => (each.priority > best.priority ? each : best));
    this.#inARow = thread === this.#last ? this.#inARow + 1 : 0;
    this.#last = thread;
    return { thread, instructions: longestTurn, points: this.#length() };
  }

  ran(): void {
    // Turns are counted in accesses.
  }

  /** Those that may be chosen. */
  #begin(ready: readonly number[], yielded: boolean): readonly number[] {
    const begun = ready.filter((thread) => this.#begun.has(thread));
    if (begun.length === ready.length) return ready;
    if (this.#together && begun.length > 0 && !yielded && this.#turnsBefore++ < mostBefore) return begun;
    this.#turnsBefore = 0;
    for (const thread of ready) this.#begun.add(thread);
    return ready;
  }

  #fallBehind(thread: number): void {
    this.#priorities.set(thread, --this.#lowest);
  }

  /** None at all about as often as any other small number, and now and then many more than the mean. */
  #length(): number {
    const most = 2 * this.#points + 1;
    return this.#happens(2) ? below(this.#random, 2) : below(this.#random, most);
  }

  drains(waiting: readonly Waiting[]): readonly BufferDrain[] {
    const choices: BufferDrain[] = [];
    for (let left = waiting.slice(); left.length > 0; ) {
      const [{ thread, stores, nonTemporal }] = left.splice(below(this.#random, left.length), 1) as [Waiting];
      if (!this.#happens(this.#draining) && !this.#rarely()) continue;
      if (nonTemporal) choices.push(...this.#outOfOrder(thread, stores));
      else choices.push({ kind: "drain", thread, stores: this.#happens(2) ? stores : 1 + below(this.#random, stores) });
    }
    return choices;
  }

  /** However late a schedule drains, it sometimes does. */
  #rarely(): boolean {
    return below(this.#random, 16) === 0;
  }

  #outOfOrder(thread: number, stores: number): BufferDrain[] {
    const count = 1 + below(this.#random, stores);
    return Array.from({ length: count }, () => {
      const behind = below(this.#random, 3);
      return { kind: "drain", thread, stores: 1, ...(behind > 0 && { behind }) };
    });
  }
}
