/**
 * One thread's store buffer (docs/MODEL.md, section 2). Always:
 * - An entry leaves after all that is ordered before it, by the table below, which is section 1's for what is buffered.
 * - A clflushopt or clwb leaves by itself, as soon as nothing holds it back: what is visible then is what it covers.
 * Written without a look at model/pmem/operational, which is its slow twin.
 */
import { assert } from "../../base/index.ts";
import type { StandingId } from "./meetings.ts";

export type EntryKind = "store" | "non-temporal" | "clflush" | "clflushopt" | "sfence";

export interface BufferedOperation {
  readonly kind: EntryKind;
  /** Of the first byte and of the last; a fence has none. */
  readonly firstLine: number;
  readonly lastLine: number;
  readonly address: number;
  /** What a store writes. */
  readonly bytes: Uint8Array;
  /** What lay there as its thread saw it. */
  before: Uint8Array;
  /** Its records for the trace; none for a store to memory that is not persistent. */
  readonly words: Uint32Array;
  /** What who reads it has seen, where that is noted (meetings.ts). */
  standing?: StandingId;
}

type Order = "always" | "same line" | "never";
type Row = Readonly<Record<EntryKind, Order>>;
const row = (store: Order, nonTemporal: Order, clflush: Order, clflushopt: Order, sfence: Order): Row => ({
  store,
  "non-temporal": nonTemporal,
  clflush,
  clflushopt,
  sfence,
});

/** Row earlier, column later: whether the earlier one must leave first. */
const mustLeaveFirst: Readonly<Record<EntryKind, Row>> = {
  //                  store        non-temporal clflush      clflushopt   sfence
  store: row("always", "same line", "always", "same line", "always"),
  "non-temporal": row("same line", "same line", "always", "same line", "always"),
  clflush: row("always", "always", "always", "same line", "always"),
  clflushopt: row("never", "never", "same line", "never", "always"),
  sfence: row("always", "always", "always", "always", "always"),
};

const shareLine = (a: BufferedOperation, b: BufferedOperation): boolean =>
  a.firstLine <= b.lastLine && b.firstLine <= a.lastLine;

function holdsBack(earlier: BufferedOperation, later: BufferedOperation): boolean {
  const order = mustLeaveFirst[earlier.kind][later.kind];
  return order === "always" || (order === "same line" && shareLine(earlier, later));
}

export class StoreBuffer {
  readonly #entries: BufferedOperation[] = [];
  #waiting = 0;

  get entries(): readonly BufferedOperation[] {
    return this.#entries;
  }

  /** How many wait for a decision: all but those that leave by themselves. */
  get waiting(): number {
    return this.#waiting;
  }

  #isHeldBack(at: number): boolean {
    const entry = this.#entries[at]!;
    for (let before = 0; before < at; before++) if (holdsBack(this.#entries[before]!, entry)) return true;
    return false;
  }

  /** Issues an operation; what leaves at once is returned. */
  issue(entry: BufferedOperation): readonly BufferedOperation[] {
    this.#entries.push(entry);
    if (entry.kind === "clflushopt") return this.#released();
    this.#waiting++;
    return [];
  }

  /** The oldest that may leave, or one behind so many that may leave too, leaves; and what only waited for it. */
  leave(behind = 0): readonly BufferedOperation[] {
    let at = -1;
    for (let found = 0, index = 0; index < this.#entries.length && found <= behind; index++) {
      if (this.#entries[index]!.kind === "clflushopt" || this.#isHeldBack(index)) continue;
      at = index;
      found++;
    }
    assert(at >= 0, "schedule: a buffer from which something leaves holds something");
    const [entry] = this.#entries.splice(at, 1) as [BufferedOperation];
    this.#waiting--;
    return [entry, ...this.#released()];
  }

  #released(): readonly BufferedOperation[] {
    const released: BufferedOperation[] = [];
    for (let at = 0; at < this.#entries.length; at++) {
      if (this.#entries[at]!.kind !== "clflushopt" || this.#isHeldBack(at)) continue;
      released.push(...this.#entries.splice(at--, 1));
    }
    return released;
  }
}
