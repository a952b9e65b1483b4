/** What crashes inside a recovery may leave, at each of its points. */
import { addWord, assert, digestText, newDigest } from "../../base/index.ts";
import type { PlannedPoints, TracePoints } from "../../crash/recovery-tree/index.ts";
import { pathFromText } from "../../machine/index.ts";
import { applyStore, type PmStore } from "../../model/pmem/index.ts";
import type { Aftermath, LineNumbers } from "./aftermath.ts";
import { CallWrites } from "./call-writes.ts";
import { type Content, type Contents, type LineSet, setOf } from "./contents.ts";
import type { FileAnswers, FilesAfter } from "./files-after.ts";
import type { OrderedStates, TracedPoints } from "./ordered-states.ts";
import type { CrashOrder } from "./orders.ts";

/** States that recovery takes in the same way: what is left of the lines' sets, and one of the states. */
export interface SameWay {
  readonly aftermath: Aftermath;
  /** All lines that anybody stored to. */
  readonly lines: ReadonlyMap<number, LineSet>;
  readonly order: CrashOrder;
  /** Another: each line holds the content at this place of its set, or the best that it can where there is none. */
  orderOf(place: number): CrashOrder;
}

/** Lines of the recovery's trace by the numbers that all traces share; undefined when it mapped a file that the program did not. */
function lineNumbersIn({ points }: PlannedPoints, numbers: LineNumbers, paths: readonly string[]) {
  const files = points.tables.paths.map((path) => paths.indexOf(pathFromText(path)));
  if (files.includes(-1)) return undefined;
  return Int32Array.from({ length: points.lines }, (_, line) => {
    const { file, index } = points.place(line);
    return numbers.of(files[file]!, index);
  });
}

export class FurtherAftermaths {
  readonly #contents: Contents;
  readonly #numbers: LineNumbers;
  readonly #answers: FileAnswers;
  readonly #calls: CallWrites;
  readonly #paths: readonly string[];
  /** By recovery: its lines. */
  readonly #lines = new WeakMap<TracedPoints, Int32Array>();

  constructor(contents: Contents, numbers: LineNumbers, answers: FileAnswers, states: OrderedStates) {
    this.#contents = contents;
    this.#numbers = numbers;
    this.#answers = answers;
    this.#calls = new CallWrites(contents, numbers, answers, states);
    this.#paths = states.paths;
  }

  /** Each that could be made out; "unknown" where calls wrote to lines that the recovery had mapped and stored to, or a pool got another name. */
  *of(way: SameWay, recovery: TracedPoints): Iterable<Aftermath | "unknown"> {
    const { points } = recovery.planned;
    if (points.count === 0) return;
    const lines = this.#lines.get(recovery) ?? lineNumbersIn(recovery.planned, this.#numbers, this.#paths);
    if (lines === undefined) {
      yield "unknown";
      return;
    }
    this.#lines.set(recovery, lines);
    for (let point = 0; point < points.count; point++) {
      const further = this.#at(way, recovery, lines, point) ?? "unknown";
      if (further === "unknown" || !isAsBefore(way, further)) yield further;
    }
  }

  #at(way: SameWay, recovery: TracedPoints, numbers: Int32Array, point: number): Aftermath | undefined {
    const { points } = recovery.planned;
    const version = points.version(point, recovery.history);
    if (!this.#calls.isSameBeside(way, recovery, version)) return undefined;
    const lines = new Map(way.lines);
    if (version > 0)
      for (const [number, set] of way.lines) lines.set(number, this.#calls.over(way, recovery, number, set, version));
    for (let line = 0; line < points.lines; line++)
      if (points.isStored(line, point)) {
        const set = this.#stored(way, recovery, line, numbers[line]!, point);
        if (set === undefined) return undefined;
        lines.set(numbers[line]!, set);
      }
    const { aftermath } = way;
    const files = this.#filesAt(way, recovery, version, lines);
    const origin = { before: aftermath, recovery, point };
    return { point: aftermath.point, crashes: aftermath.crashes + 1, files, lines, origin };
  }

  #before({ aftermath, lines }: SameWay, number: number): LineSet {
    const known = lines.get(number);
    if (known !== undefined) return known;
    const { file, index } = this.#numbers.place(number);
    const bytes = this.#answers.line(file, index, aftermath.files);
    return setOf([this.#contents.untouched(new Int32Array(bytes.slice().buffer))]);
  }

  /** Every content before with every cut of the recovery's stores. */
  #stored(way: SameWay, recovery: TracedPoints, line: number, number: number, point: number): LineSet | undefined {
    const { points, stores } = recovery.planned;
    const { cuts } = points.tables;
    const [low, high] = points.window(line, point);
    const own = Array.from(stores.of(line), ({ store }) => store);
    const crash = way.aftermath.crashes + 1;
    const began = recovery.history.versionAt(own[0]!.seq);
    if (!isStoredAlone(points, line, high, own) || !this.#isLeftAlone(way, recovery, line, number, began, point))
      return undefined;
    const before = this.#calls.over(way, recovery, number, this.#before(way, number), began);
    const contents: Content[] = [];
    for (let at = low; at <= high; at++) {
      const cut = { crash, number: at, kept: cuts[2 * at]!, pieces: cuts[2 * at + 1]! };
      for (const content of before.contents) contents.push(this.#contents.stored(content, own, cut));
    }
    return setOf(contents);
  }

  /** Whether calls left a line as it was since it was mapped: the file holds what it held then, or what was stored. */
  #isLeftAlone(
    way: SameWay,
    recovery: TracedPoints,
    line: number,
    number: number,
    began: number,
    point: number,
  ): boolean {
    const { planned, history } = recovery;
    const { points } = planned;
    const bytes = (version: number) => this.#calls.line(way, recovery, number, version);
    if (!sameBytes(bytes(began), points.bytes(points.base(line)))) return false;
    for (let version = began + 1; version <= points.version(point, history); version++)
      if (!hasContent(planned, line, bytes(version))) return false;
    return true;
  }

  // ── Files ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** What lines hold that are among these is asked of them. */
  #filesAt(way: SameWay, recovery: TracedPoints, version: number, lines: ReadonlyMap<number, LineSet>): FilesAfter {
    const { files } = way.aftermath;
    if (version === 0) return files;
    const now = this.#calls.version(recovery, version);
    const changes = this.#calls.changes(recovery, version);
    const elsewhere = this.#calls.elsewhere(way, recovery, version, lines);
    if (changes === "" && elsewhere === "") return files;
    const made = { by: way.order, version };
    return {
      key: `${files.key}\n${textDigest(`${changes}\n${elsewhere}`)}`,
      version: files.version,
      made,
      read: () => now,
    };
  }
}

/** Whether the recovery had changed nothing yet. */
const isAsBefore = ({ aftermath, lines }: SameWay, further: Aftermath): boolean =>
  further.files === aftermath.files && [...further.lines].every(([line, set]) => lines.get(line) === set);

/** Whether a line holds what it held before with the stores over it: no file call changed it as well. */
function isStoredAlone(points: TracePoints, line: number, content: number, stores: readonly PmStore[]): boolean {
  const bytes = points.bytes(points.base(line)).slice();
  for (const store of stores.slice(0, points.tables.cuts[2 * content])) applyStore(bytes, store);
  return sameBytes(bytes, points.bytes(content));
}

function hasContent({ points }: PlannedPoints, line: number, bytes: Uint8Array): boolean {
  const [first, end] = points.contentsOf(line);
  for (let content = first; content < end; content++) if (sameBytes(points.bytes(content), bytes)) return true;
  return false;
}

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => a.every((byte, at) => byte === b[at]);

function textDigest(text: string): string {
  const digest = newDigest();
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  assert(text.length > 0, "only what changed is told");
  return digestText(digest);
}

/** The same for aftermaths that no recovery can tell apart. */
export function aftermathKey({ files, lines }: Aftermath): string {
  const sorted = [...lines].sort(([a], [b]) => a - b);
  return textDigest(`${files.key}\n${sorted.map(([line, { key }]) => `${line}:${key}`).join(" ")}`);
}
