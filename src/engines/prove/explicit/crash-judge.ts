/**
 * Recovery after every crash that a state allows, run with numbers. It chooses what a window of stores has kept when it first reads a
 * byte that the window has a store of (Gorjiara, Xu and Demsky, "Jaaru", 2021). Always:
 * - The same windows are gone through once.
 */
import type { CrashWindow, StoreCell } from "../../../model/pmem/index.ts";
import { type SharedMemory, touches, valueOfBytes } from "./shared-memory.ts";
import type { PointStep, ThreadPoints } from "./thread-points.ts";

export interface JudgedCrash {
  readonly why: string;
  readonly at: number;
  /** What recovery found, in the order in which it looked. */
  readonly found: readonly { readonly address: number; readonly size: number; readonly value: bigint }[];
}

/** One run of recovery, up to where it stands. */
interface Recovering {
  readonly step: PointStep;
  /** How many stores of a window survived, where that is settled. */
  readonly cuts: ReadonlyMap<number, number>;
  readonly stored: ReadonlyMap<number, number>;
  readonly found: JudgedCrash["found"];
  readonly readsStore: boolean;
}

/** A recovery that looks so often is taken to go on for ever. */
const mostLoads = 10_000;

export class CrashJudge {
  /** Recovery has come to its end with something that a thread has stored. */
  reaches = false;
  refused: { readonly why: string; readonly at: number } | undefined;
  #windows: readonly CrashWindow[] = [];
  readonly #recovery: ThreadPoints;
  readonly #memory: SharedMemory;
  readonly #looked = new Set<string>();

  constructor(recovery: ThreadPoints, memory: SharedMemory) {
    this.#recovery = recovery;
    this.#memory = memory;
  }

  get crashes(): number {
    return this.#looked.size;
  }

  /** The first recovery that fails. */
  failure(windows: readonly CrashWindow[]): JudgedCrash | undefined {
    const key = windows.map(windowKey).join("|");
    if (this.#looked.has(key)) return undefined;
    this.#looked.add(key);
    this.#windows = windows;
    return this.#go({ step: this.#recovery.start, cuts: new Map(), stored: new Map(), found: [], readsStore: false });
  }

  #go(from: Recovering): JudgedCrash | undefined {
    const { point, updated, issued } = from.step;
    const stored = new Map(from.stored);
    for (const op of [...(updated === undefined ? [] : [updated]), ...issued])
      if (op.kind === "store")
        for (let at = 0; at < op.size; at++) stored.set(op.address + at, Number((op.value >> BigInt(8 * at)) & 0xffn));
    const here = { ...from, stored };
    const { next, at } = point;
    if (next.kind === "end") {
      if (from.readsStore) this.reaches = true;
      if ((next.returned & 0xffff_ffffn) === 0n) return undefined;
      return { why: "it returns what is not 0", at: this.#recovery.entry, found: from.found };
    }
    if (next.kind === "fails") return { why: next.why, at, found: from.found };
    if (next.kind === "mfence") return this.#go({ ...here, step: this.#recovery.after(point, 0n) });
    if (next.kind !== "refused" && from.found.length <= mostLoads) return this.#load(here, next.address, next.size);
    this.refused = { why: next.kind === "refused" ? next.why : "a loop that may go on for ever", at };
    return undefined;
  }

  #load(from: Recovering, address: number, size: number): JudgedCrash | undefined {
    for (const cuts of this.#settled(from.cuts, address, size)) {
      const windows = [...cuts].map(([index, cut]) => [this.#windows[index]!, cut] as const);
      let { readsStore } = from;
      const note = (_: StoreCell) => {
        readsStore = true;
      };
      const value = valueOfBytes(address, size, (at) => from.stored.get(at) ?? this.#memory.left(windows, at, note));
      const found = [...from.found, { address, size, value }];
      const failure = this.#go({
        ...from,
        cuts,
        found,
        readsStore,
        step: this.#recovery.after(from.step.point, value),
      });
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  /** Every way to settle what is looked at. */
  #settled(cuts: ReadonlyMap<number, number>, address: number, size: number): ReadonlyMap<number, number>[] {
    let ways = [cuts];
    for (const [index, window] of this.#windows.entries()) {
      if (cuts.has(index) || !touches(window, address, size)) continue;
      const choices = Array.from({ length: window.to - window.from + 1 }, (_, more) => window.from + more);
      ways = ways.flatMap((way) => choices.map((cut) => new Map(way).set(index, cut)));
    }
    return ways;
  }
}

/** Windows with the same key leave the same contents. */
const windowKey = ({ stores, from, to }: CrashWindow): string =>
  `${from} ${to} ${stores.map(({ address, size, payload }) => `${address}.${size}=${payload}`).join(" ")}`;
