/** Which stores bytes of persistent memory come from, at a power cut: the newest that it keeps, and the newest that it loses. */

import type { HistoryLine } from "../../crash/finding/index.ts";
import type { Moment } from "../../crash/states/index.ts";
import { type LineKey, lineBytes, lineKey, type Mappings } from "../../model/pmem/index.ts";
import { codeIn, codeOf, inRecord, storedBytes } from "../../trace/record/index.ts";
import type { LineListener, RawEvent } from "./line-walk.ts";
import type { StoreFacts } from "./store-facts.ts";

interface Seen {
  readonly kept: Int32Array;
  readonly lost: Int32Array;
}

export interface SeenStores {
  readonly store?: number;
  readonly lost?: number;
  /** What was stored there, by its names. */
  readonly names: readonly string[];
  /** Where it is of one store, a whole number by its type; a part of a number has no sign. */
  readonly number?: "signed" | "unsigned";
}

const none = -1;
const newest = (events: Int32Array): number => events.reduce((a, b) => Math.max(a, b), none);

export class StoresSeen implements LineListener {
  readonly #lines: readonly HistoryLine[];
  readonly #lost: ReadonlySet<number>;
  readonly #facts: StoreFacts;
  readonly cut: number;
  readonly #keys = new Map<LineKey, Seen>();
  readonly #byLine: readonly Seen[];
  isDone = false;
  #mappings: Mappings | undefined;

  /** `lost` are the stores that the crash loses. */
  constructor(lines: readonly HistoryLine[], cut: number, lost: ReadonlySet<number>, facts: StoreFacts) {
    this.#lines = lines;
    this.cut = cut;
    this.#lost = lost;
    this.#facts = facts;
    this.#byLine = lines.map(() => ({
      kept: new Int32Array(lineBytes).fill(none),
      lost: new Int32Array(lineBytes).fill(none),
    }));
  }

  locate(paths: readonly string[]): readonly LineKey[] {
    for (const [at, { path, index }] of this.#lines.entries()) {
      const file = paths.indexOf(path);
      if (file >= 0) this.#keys.set(lineKey(file, index), this.#byLine[at]!);
    }
    return [...this.#keys.keys()];
  }

  awaitsFence(): boolean {
    return false;
  }

  take({ words, at, seq }: RawEvent, { mappings }: Moment): void {
    const code = codeIn(words[at]!);
    if (code !== codeOf.store && code !== codeOf["non-temporal"]) return;
    const { file, offset } = mappings.at(words[at + inRecord.address]!)!;
    const seen = this.#keys.get(lineKey(file, Math.floor(offset / lineBytes)));
    const from = offset % lineBytes;
    seen?.[this.#lost.has(seq) ? "lost" : "kept"].fill(seq, from, from + storedBytes(words[at]!));
  }

  sync(): void {}

  reachCut(): void {
    this.isDone = true;
  }

  end(mappings: Mappings): void {
    this.#mappings = mappings;
  }

  /** Of bytes of one line. */
  of(line: HistoryLine, offset: number, size: number): SeenStores {
    const at = this.#lines.findIndex(({ path, index }) => path === line.path && index === line.index);
    const seen = this.#byLine[at];
    if (seen === undefined) return { names: [] };
    const [kept, lost] = [seen.kept, seen.lost].map((events) => events.subarray(offset, offset + size));
    const named = new Set(Array.from(kept!, (event, byte) => Math.max(event, lost![byte]!)));
    named.delete(none);
    const store = newest(kept!);
    const stores = [...named].map((event) => this.#facts.namedAt(event, this.#mappings!));
    const [only] = stores.length === 1 ? stores : [];
    const isPart = [offset - 1, offset + size].some((at) =>
      named.has(Math.max(seen.kept[at] ?? none, seen.lost[at] ?? none)),
    );
    const number = only?.number && isPart ? "unsigned" : only?.number;
    return {
      ...(store !== none && { store }),
      ...(newest(lost!) !== none && { lost: newest(lost!) }),
      names: stores.flatMap(({ name }) => name ?? []),
      ...(number && { number }),
    };
  }
}
