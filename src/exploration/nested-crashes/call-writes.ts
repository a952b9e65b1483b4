/**
 * What a recovery did to persistent files by calls (it wrote to them, cut them short, put others in their place), for all states that
 * it does the same on. Always:
 * - A byte that calls wrote is the same in all of these states; any other is what it was before.
 * - Whether a byte was written shows on states of the way that differ in it: the recovery is traced on such, as many as are needed.
 */
import { assert } from "../../base/index.ts";
import { type FileVersion, isSamePool } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { LineNumbers } from "./aftermath.ts";
import { bytesOf, type Contents, type LineSet, setOf } from "./contents.ts";
import type { FileAnswers } from "./files-after.ts";
import type { SameWay } from "./further.ts";
import type { OrderedStates, TracedPoints } from "./ordered-states.ts";

/** One line before and after, on the states that the recovery was traced on. */
interface Rewrite {
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

export class CallWrites {
  readonly #contents: Contents;
  readonly #numbers: LineNumbers;
  readonly #answers: FileAnswers;
  readonly #states: OrderedStates;
  /** By recovery and version. */
  readonly #versions = new WeakMap<TracedPoints, FileVersion[]>();
  /** By recovery and version: lines of persistent files that are others than when it began. */
  readonly #differing = new WeakMap<TracedPoints, Map<number, ReadonlyMap<number, string>>>();

  constructor(contents: Contents, numbers: LineNumbers, answers: FileAnswers, states: OrderedStates) {
    this.#contents = contents;
    this.#numbers = numbers;
    this.#answers = answers;
    this.#states = states;
  }

  version(recovery: TracedPoints, number: number): FileVersion {
    const known = this.#versions.get(recovery) ?? [];
    this.#versions.set(recovery, known);
    known[number] ??= recovery.history.read(number);
    return known[number];
  }

  /** A line as the recovery's calls had left it in the file, on the state that it was traced on. */
  line({ aftermath }: SameWay, recovery: TracedPoints, number: number, version: number): Uint8Array {
    const { file, index } = this.#numbers.place(number);
    const path = this.#states.paths[file]!;
    return this.#answers.lineOf(this.version(recovery, version), path, index, aftermath.files.version);
  }

  #isSameFile(recovery: TracedPoints, number: number, version: number): boolean {
    const pool = this.#states.paths[this.#numbers.place(number).file]!;
    return isSamePool(this.version(recovery, 0), this.version(recovery, version), pool);
  }

  /** What a line may hold, with what calls wrote up to a version of the files. */
  over(way: SameWay, recovery: TracedPoints, number: number, set: LineSet, version: number): LineSet {
    if (version === 0 || this.#isSameFile(recovery, number, version)) return set;
    const rewriteOn = (traced: TracedPoints): Rewrite => ({
      before: this.line(way, traced, number, 0),
      after: this.line(way, traced, number, version),
    });
    const first = rewriteOn(recovery);
    const written = Uint8Array.from(first.before, (byte, at) => Number(byte !== first.after[at]));
    // A byte that calls left as it was may have been written all the same: that shows on a state that had another.
    const kept = new Uint8Array(lineBytes);
    for (const [place, content] of set.contents.entries()) {
      const isNews = bytesOf(content).some((byte, at) => !written[at] && !kept[at] && byte !== first.before[at]);
      if (!isNews) continue;
      const other = rewriteOn(this.#states.traced(way.orderOf(place)));
      for (let at = 0; at < lineBytes; at++)
        if (other.before[at] !== first.before[at]) {
          const isKept = other.after[at] === other.before[at];
          assert(isKept || other.after[at] === first.after[at], "calls write the same on all states of a way");
          (isKept ? kept : written)[at] = 1;
        }
    }
    if (!written.includes(1)) return set;
    return setOf(set.contents.map((content) => this.#contents.written(content, first.after, written)));
  }

  /** Files by other names, and what was made anew, are the same in all states of the way: a file that had been stored to is not one of them. */
  isSameBeside(way: SameWay, recovery: TracedPoints, version: number): boolean {
    if (!recovery.history.hasRenamed(version)) return true;
    const most = Math.max(0, ...[...way.lines.values()].map(({ contents }) => contents.length));
    const changes = this.changes(recovery, version);
    return Array.from({ length: most }, (_, place) => this.#states.traced(way.orderOf(place))).every(
      (other) => this.changes(other, version) === changes,
    );
  }

  changes(recovery: TracedPoints, version: number): string {
    return this.#answers.changes(this.version(recovery, 0), this.version(recovery, version));
  }

  /** What calls left of lines that are none of these, as text. */
  elsewhere(way: SameWay, recovery: TracedPoints, version: number, lines: ReadonlyMap<number, LineSet>): string {
    const known = this.#differing.get(recovery) ?? new Map<number, ReadonlyMap<number, string>>();
    this.#differing.set(recovery, known);
    const differing = known.get(version) ?? this.#differingLines(way, recovery, version);
    known.set(version, differing);
    const others = [...differing].filter(([number]) => !lines.has(number));
    return others.map(([number, bytes]) => `${number}=${bytes}`).join("\n");
  }

  #differingLines({ aftermath }: SameWay, recovery: TracedPoints, version: number): ReadonlyMap<number, string> {
    const [start, now] = [this.version(recovery, 0), this.version(recovery, version)];
    const differing = new Map<number, string>();
    for (const [file, path] of this.#states.paths.entries())
      if (!isSamePool(start, now, path))
        for (const { index, bytes } of this.#answers.differingLines(path, start, now, aftermath.files.version))
          differing.set(this.#numbers.of(file, index), bytes.join());
    return differing;
  }
}
