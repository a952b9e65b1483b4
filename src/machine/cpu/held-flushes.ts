/**
 * Flushes of patches that come later than the stores they are of: behind a loop, all at once. A flush does nothing but to be traced, so
 * that a trace in which its record lies further on is the trace of a program that flushes there. Always:
 * - Each line once, in the order of their addresses, before what the instruction does that they wait for.
 * - What waits when the program ends is never flushed.
 * - A full buffer of records may be emptied between that instruction's own record and the mark: they come after it then, as
 *   they come before the last piece of a repeated string. A later flush makes nothing durable that an earlier one would not.
 */
import { codeIn, codeOf, inRecord, isFurtherPiece, recordWords, threadIn } from "../../trace/record/index.ts";
import type { CodePlace, Patch } from "./patches.ts";

/** A place where flushes come that were held: an mfence there tells, and is taken out of the trace. */
export interface Release {
  readonly at: CodePlace;
  /** The number of the patch whose flushes come. */
  readonly patch: number;
}

export const releasesOf = (patches: readonly Patch[]): readonly Release[] =>
  patches.flatMap(({ until = [] }, patch) => until.map((at) => ({ at, patch })));

const LINE_BYTES = 64;
const flushCodes: ReadonlySet<number> = new Set([codeOf.clflush, codeOf.clflushopt, codeOf.clwb]);

type Line = number;
/** By thread and patch, then by line. Plain data, for snapshots. */
export type WaitingFlushes = ReadonlyMap<string, ReadonlyMap<Line, readonly number[]>>;

export class HeldFlushes {
  readonly #isHeld: ReadonlySet<number>;
  /** Patches by the number of the mark that releases them: marks are numbered behind all patches. */
  readonly #released: ReadonlyMap<number, number>;
  readonly #held = new Map<string, Map<Line, readonly number[]>>();

  constructor(patches: readonly Patch[]) {
    this.#isHeld = new Set(patches.flatMap(({ until }, number) => (until === undefined ? [] : [number])));
    this.#released = new Map(releasesOf(patches).map(({ patch }, index) => [patches.length + index, patch]));
  }

  snapshot(): WaitingFlushes {
    return new Map([...this.#held].map(([key, lines]) => [key, new Map(lines)]));
  }
  restore(held: WaitingFlushes): void {
    this.#held.clear();
    for (const [key, lines] of held) this.#held.set(key, new Map(lines));
  }

  /** The records, each where it belongs. */
  placed(words: Uint32Array): Uint32Array {
    if (this.#isHeld.size === 0) return words;
    const records: (readonly number[])[] = [];
    for (let at = 0; at < words.length; at += recordWords) {
      const record = [...words.subarray(at, at + recordWords)];
      const patch = patchIn(record);
      const released = patch === undefined ? undefined : this.#released.get(patch);
      if (released !== undefined) {
        const key = keyOf(record, released);
        const lines = [...(this.#held.get(key) ?? [])].toSorted(([a], [b]) => a - b).map(([, one]) => one);
        records.splice(endBefore(records, record), 0, ...lines);
        this.#held.delete(key);
      } else if (patch !== undefined && this.#isHeld.has(patch)) {
        const key = keyOf(record, patch);
        if (!this.#held.has(key)) this.#held.set(key, new Map());
        this.#held.get(key)!.set(Math.floor(record[inRecord.address]! / LINE_BYTES), record);
      } else records.push(record);
    }
    return Uint32Array.from(records.flat());
  }
}

const keyOf = (record: readonly number[], patch: number): string => `${threadIn(record[inRecord.head]!)} ${patch}`;

/** Behind the records of all that came before the instruction that the mark belongs to: it has made a store in pieces, say. */
function endBefore(records: readonly (readonly number[])[], mark: readonly number[]): number {
  const isOfMark = (record: readonly number[] | undefined) =>
    record?.[inRecord.site] === mark[inRecord.site] && record?.[inRecord.stack] === mark[inRecord.stack];
  let first = records.length - 1;
  if (!isOfMark(records[first])) return records.length;
  while (isFurtherPiece(records[first]![inRecord.head]!) && isOfMark(records[first - 1])) first--;
  const isLocked = isOfMark(records[first - 1]) && codeIn(records[first - 1]![inRecord.head]!) === codeOf.locked;
  return isLocked ? first - 1 : first;
}

/** The number of the patch that inserted it; undefined for what the program does itself. */
function patchIn(record: readonly number[]): number | undefined {
  const code = codeIn(record[inRecord.head]!);
  const isMarked = flushCodes.has(code) || code === codeOf.sfence || code === codeOf.mfence;
  return isMarked && record[inRecord.high]! > 0 ? record[inRecord.high]! - 1 : undefined;
}
