/**
 * Where an execution under strict persistency may have crashed, given what was read after the crash: for each execution
 * and thread an interval of clocks (PSan, implications 4.1 to 4.3 and the rule of its Figure 10). A read that leaves no
 * crash possible is a violation of robustness: it shows a store that was kept although one that happens before it was
 * lost. Always:
 * - What is observed stays, also when a further crash has followed (its Figure 8).
 * - Clocks are those of the execution that holds the store; executions are numbered from 0 on.
 */
import { clockIn, type StoreClock, threadsOf } from "../../exploration/persist-order/index.ts";

export interface ClockedStore extends StoreClock {
  readonly execution: number;
}

/** What a load after a crash read from. */
export interface Observation<Store extends ClockedStore> {
  /** Undefined: what was there before the first execution. */
  readonly store: Store | undefined;
  /** The first store of each thread to the same bytes that would have replaced it, in each execution up to the crash. */
  readonly next: readonly Store[];
}

/** `missing` happens before `kept`, and was lost where `kept` was not: it lacks a flush and a fence in between. */
export interface Violation<Store> {
  /** Whether it is this load that read too old a value, or an earlier one that now turns out to have. */
  readonly reading: "too old" | "too new";
  readonly missing: Store;
  readonly kept: Store;
}

interface Bound<Store> {
  readonly clock: number;
  readonly setter: Store;
}

interface Interval<Store> {
  /** The crash came at or after this store's clock. */
  begin: Bound<Store> | undefined;
  /** It came before each of these, in the order of their clocks. */
  readonly ends: Bound<Store>[];
}

export class CrashIntervals<Store extends ClockedStore> {
  /** By execution, by thread. */
  readonly #intervals: Interval<Store>[][] = [];

  /** What the load would violate; nothing is noted. */
  violations({ store, next }: Observation<Store>): Violation<Store>[] {
    const found: Violation<Store>[] = [];
    for (const missing of next) {
      const begin = this.#beginOf(missing.execution, missing.thread, store);
      if (begin !== undefined && begin.clock >= missing.clock)
        found.push({ reading: "too old", missing, kept: begin.setter });
    }
    if (store === undefined) return found;
    for (let thread = 0; thread < threadsOf(store); thread++)
      for (const { clock, setter } of this.#intervals[store.execution]?.[thread]?.ends ?? [])
        if (clock <= clockIn(store, thread)) found.push({ reading: "too new", missing: setter, kept: store });
    return found;
  }

  observe({ store, next }: Observation<Store>): void {
    if (store !== undefined)
      for (let thread = 0; thread < threadsOf(store); thread++) this.#raise(store, thread, clockIn(store, thread));
    for (const end of next) this.#lower(end);
  }

  /** Where the crash must have come after, once the store that is being read counts, too. */
  #beginOf(execution: number, thread: number, store: Store | undefined): Bound<Store> | undefined {
    const known = this.#intervals[execution]?.[thread]?.begin;
    if (store === undefined || store.execution !== execution) return known;
    const clock = clockIn(store, thread);
    return clock > (known?.clock ?? 0) ? { clock, setter: store } : known;
  }

  #raise(setter: Store, thread: number, clock: number): void {
    if (clock === 0) return;
    const interval = this.#intervalOf(setter.execution, thread);
    if (clock > (interval.begin?.clock ?? 0)) interval.begin = { clock, setter };
  }

  #lower(setter: Store): void {
    const { ends } = this.#intervalOf(setter.execution, setter.thread);
    if (ends.some((end) => end.setter === setter)) return;
    const at = ends.findIndex(({ clock }) => clock > setter.clock);
    ends.splice(at < 0 ? ends.length : at, 0, { clock: setter.clock, setter });
  }

  #intervalOf(execution: number, thread: number): Interval<Store> {
    this.#intervals[execution] ??= [];
    const threads = this.#intervals[execution];
    threads[thread] ??= { begin: undefined, ends: [] };
    return threads[thread];
  }
}
