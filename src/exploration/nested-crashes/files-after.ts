/**
 * The files that crashes leave, and what recoveries see of them beside what lines hold that anybody stored to. Always:
 * answers with one number are equal, whichever crashes they are about.
 */
import { assert } from "../../base/index.ts";
import { bytesDigest, FileDigests, type OtherQuestion, type TracePoints } from "../../crash/recovery-tree/index.ts";
import type { FileHistory } from "../../crash/states/index.ts";
import { dataIn, type FileContents, type FileVersion, pagesIn, pathFromText, poolFileIn } from "../../machine/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { FilesMade } from "./orders.ts";

export interface FilesAfter {
  /** Different for different files. */
  readonly key: string;
  /** The program's version that recoveries began with. */
  readonly version: number;
  /** Where recoveries changed them since. */
  readonly made?: FilesMade;
  read(): FileVersion;
}

export class FileAnswers {
  readonly #points: TracePoints;
  readonly #history: FileHistory;
  readonly #digests: FileDigests;
  readonly #paths: readonly string[];
  readonly #persistent: ReadonlySet<string>;
  /** Another recovery finds what was printed in it, and no recovery changes it. */
  readonly #acknowledgedPath: string;
  readonly #numbers = new Map<string, number>();
  readonly #known = new Map<string, number>();

  constructor(points: TracePoints, history: FileHistory, acknowledgedPath: string) {
    this.#points = points;
    this.#history = history;
    this.#digests = new FileDigests((contents, offset, into) => history.readContents(contents, offset, into));
    this.#paths = points.tables.paths.map(pathFromText);
    this.#persistent = new Set(this.#paths);
    this.#acknowledgedPath = acknowledgedPath;
  }

  /** As the program had them at a point. */
  atPoint(point: number): FilesAfter {
    const version = this.#points.version(point, this.#history);
    return { key: `${version}`, version, read: () => this.#history.read(version) };
  }

  answer(text: OtherQuestion, files: FilesAfter, point: number): number {
    const key = text === "acknowledged" ? `${this.#points.printedBytes(point)}` : `${files.key} ${text}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const digest = this.#digest(text, files, point);
    const number = this.#numbers.get(digest) ?? this.#numbers.size;
    this.#numbers.set(digest, number);
    this.#known.set(key, number);
    return number;
  }

  #digest(text: OtherQuestion, files: FilesAfter, point: number): string {
    if (text === "acknowledged") return bytesDigest(this.#points.printed(point));
    const version = this.without(files.read());
    return text === "listing"
      ? this.#digests.listing(version)
      : this.#digests.name(version, text.slice(1), this.#persistent);
  }

  /** The files but for what had been printed. */
  without(version: FileVersion): FileVersion {
    if (!version.has(this.#acknowledgedPath)) return version;
    return new Map([...version].filter(([path]) => path !== this.#acknowledgedPath));
  }

  /** A line of a persistent file that nobody stored to. */
  line(file: number, index: number, files: FilesAfter): Uint8Array {
    const path = this.#paths[file];
    assert(path !== undefined, "lines are of files that the program mapped");
    return this.lineOf(files.read(), path, index, files.version);
  }

  lineOf(version: FileVersion, pool: string, index: number, own: number): Uint8Array {
    return this.#history.reader().line(this.#contentsIn(version, pool, own), index);
  }

  /** Lines of a pool that two versions have differently, as the second has them. */
  *differingLines(pool: string, from: FileVersion, to: FileVersion, own: number): Iterable<ChangedLine> {
    const [before, after] = [this.#contentsIn(from, pool, own), this.#contentsIn(to, pool, own)];
    const [old, now] = [new Uint8Array(pageBytes), new Uint8Array(pageBytes)];
    const read = (contents: FileContents | undefined, page: number, into: Uint8Array) =>
      contents === undefined ? into.fill(0) : this.#history.readContents(contents, page * pageBytes, into);
    for (const page of pagesOfBoth(before, after)) {
      read(before, page, old);
      read(after, page, now);
      for (let at = 0; at < pageBytes; at += lineBytes) {
        const bytes = now.subarray(at, at + lineBytes);
        if (bytes.every((byte, i) => byte === old[at + i])) continue;
        yield { index: (page * pageBytes + at) / lineBytes, bytes: bytes.slice() };
      }
    }
  }

  /** What no version has is as the host has it: the program's version `own` says so too. */
  #contentsIn(version: FileVersion, pool: string, own: number): FileContents | undefined {
    const file = poolFileIn(version, pool);
    if (file === "gone") return undefined;
    return file === "host" ? this.#history.contentsAt(pool, this.#history.starts[own]!) : file.contents;
  }

  /** What was changed between two versions, beside what persistent files hold. */
  changes(from: FileVersion, to: FileVersion): string {
    const names = new Set([...from.keys(), ...to.keys()]);
    const changed = [...names].filter((path) => path !== this.#acknowledgedPath && this.#differs(path, from, to));
    const one = (path: string) =>
      this.#digests.name(new Map([...to].filter(([own]) => own === path)), nameOf(path), this.#persistent);
    return changed
      .map((path) => `${path} ${one(path)}`)
      .sort((a, b) => (a < b ? -1 : 1))
      .join("\n");
  }

  #differs(path: string, from: FileVersion, to: FileVersion): boolean {
    const [before, after] = [from.get(path), to.get(path)];
    if (before?.number === after?.number) return false;
    if (before?.kind !== "file" || after?.kind !== "file" || before.pool !== after.pool) return true;
    if (!this.#persistent.has(before.pool ?? path)) return true;
    return before.mode !== after.mode || before.contents.size !== after.contents.size;
  }
}

interface ChangedLine {
  readonly index: number;
  readonly bytes: Uint8Array;
}

const pageBytes = 4096;

/** Pages that may differ: those that only one has or that were written since, and where the two lie over other files, all. */
function pagesOfBoth(before: FileContents | undefined, after: FileContents | undefined): ReadonlySet<number> {
  const own = (contents: FileContents | undefined) =>
    new Map<number, Uint8Array>(contents === undefined ? [] : pagesIn(contents));
  const [old, now] = [own(before), own(after)];
  const pages = new Set([...old.keys(), ...now.keys()].filter((page) => old.get(page) !== now.get(page)));
  if (before?.lower === after?.lower && before?.lowerSize === after?.lowerSize && before?.holes === after?.holes)
    return pages;
  for (const contents of [before, after])
    if (contents !== undefined)
      for (const [from, to] of dataIn(contents)) for (let page = from; page < to; page++) pages.add(page);
  return pages;
}

const nameOf = (path: string): string => path.slice(path.lastIndexOf("/") + 1);
