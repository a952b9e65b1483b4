/** The files of a traced run: what they were at every position of its trace. */
import { assert } from "../../base/index.ts";
import {
  type FileContents,
  type FilesNote,
  type FileVersion,
  isSameTree,
  KnownEntries,
  type Machine,
  type PoolNames,
  poolFileIn,
} from "../../machine/index.ts";
import { LineReader } from "./line-reader.ts";
import type { PointId } from "./points.ts";

/** What the history needs of the machine that runs the program. */
type FilesOwner = Pick<
  Machine,
  "noteFiles" | "poolNames" | "turnFilesBack" | "exportFiles" | "fileContents" | "readContents"
>;

/** Calls after which the tree may differ. Stores through mappings are the trace's to tell. */
const changingCalls: ReadonlySet<string> = new Set([
  ...["open", "openat", "creat", "close", "write", "writev", "pwrite64", "pwritev", "pwritev2", "sendfile"],
  ...["copy_file_range", "truncate", "ftruncate", "fallocate", "rename", "renameat", "renameat2", "mkdir", "mkdirat"],
  ...["rmdir", "link", "linkat", "unlink", "unlinkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat"],
  ...["mknod", "mknodat", "munmap", "msync"],
]);

/** A mapping that goes leaves its stores in the file; one that takes its place does so within its own call, and most take none. */
const mappingCalls: ReadonlySet<string> = new Set(["mmap", "mremap"]);

/** Calls after which a file may be found by another name. */
const renamingCalls: ReadonlySet<string> = new Set(["rename", "renameat", "renameat2", "link", "linkat"]);

/** The files at every position of a trace: versions by number, each from an event on. */
export interface FileVersions {
  /** The number of the version that holds before event `seq`. */
  versionAt(seq: number): number;
  read(version: number): FileVersion;
}

/** The files of a run that is over, with the contents that lines of them had. */
export interface TracedFiles extends FileVersions {
  /** The events that versions begin at. */
  readonly starts: readonly number[];
  contentsAt(pool: string, seq: number): FileContents | undefined;
  reader(): LineReader;
}

/** The version that a crash at this point leaves. */
export const versionOf = (versions: FileVersions, point: PointId): number =>
  point.version ?? versions.versionAt(point.seq);

/** The last of the events that begin a version at or before `seq`. */
export function versionBefore(starts: ArrayLike<number>, seq: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (starts[middle]! <= seq) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** The files at every position of a trace, noted while it is recorded. */
export class FileHistory implements TracedFiles {
  readonly #starts: number[] = [];
  readonly #notes: FilesNote[] = [];
  #machine: FilesOwner | undefined;
  #poolNames: PoolNames | undefined;
  #shown: { readonly version: number; readonly files: FileVersion } | undefined;
  readonly #entries = new KnownEntries();
  /** The first version in which a file may have another name. */
  #renamed = Number.POSITIVE_INFINITY;

  /** The machine is loaded: nothing has run. */
  begin(machine: FilesOwner): void {
    this.#machine = machine;
    this.note(0);
  }

  /** The run is over; its machine may run something else, which has names of its own for its pools. */
  end(): void {
    this.#poolNames = this.#machine!.poolNames;
  }

  /** A call has ended before event `seq`. */
  returned(name: string, seq: () => number): void {
    if (mappingCalls.has(name) && !this.#hasChanged()) return;
    if (!changingCalls.has(name) && !mappingCalls.has(name)) return;
    this.note(seq());
    if (renamingCalls.has(name)) this.#renamed = Math.min(this.#renamed, this.#notes.length - 1);
  }

  /** Whether a file may be found by another name than when the trace began. */
  hasRenamed(version: number): boolean {
    return version >= this.#renamed;
  }

  /** A version begins where a file or a name changed. */
  note(seq: number): void {
    const note = this.#machine?.noteFiles();
    if (note === undefined || note.inodes === this.#notes.at(-1)?.inodes) return;
    this.#notes.push(note);
    this.#starts.push(seq);
  }

  #hasChanged(): boolean {
    const note = this.#machine?.noteFiles();
    return note !== undefined && !isSameTree(this.#notes.at(-1)!, note);
  }

  versionAt(seq: number): number {
    return versionBefore(this.#starts, seq);
  }

  /** The events that versions begin at. */
  get starts(): readonly number[] {
    return this.#starts;
  }

  /** The run must be over: this turns its files back. */
  read(version: number): FileVersion {
    if (this.#shown?.version === version) return this.#shown.files;
    this.#turnBack(version);
    this.#shown = { version, files: this.#machine!.exportFiles(this.#entries) };
    return this.#shown.files;
  }

  /** A pool's own contents as of event `seq`, also one that is still as the host has it; undefined when there is none. */
  contentsAt(pool: string, seq: number): FileContents | undefined {
    const version = this.versionAt(seq);
    const file = poolFileIn(this.read(version), pool);
    if (file === "gone") return undefined;
    if (file !== "host") return file.contents;
    this.#turnBack(version);
    return this.#machine!.fileContents(pool);
  }

  #turnBack(version: number): void {
    assert(this.#poolNames !== undefined, "files are read when their run is over");
    this.#machine!.turnFilesBack(this.#notes[version]!, this.#poolNames);
  }

  /** Bytes of contents of this history. */
  readContents(contents: FileContents, offset: number, into: Uint8Array): void {
    this.#machine!.readContents(contents, offset, into);
  }

  /** Reads lines of such contents. */
  reader(): LineReader {
    return new LineReader(this.#machine!);
  }
}
