/**
 * The files of a guest as plain data, to be carried from one machine to another: what differs from the host's tree. Always:
 * - Contents are the files' own, not those of mapped pages: persistent memory is laid over them line by line.
 * - What the guest wrote through file calls is kept, also when it was not synced.
 */
import type { Machine } from "../vm/index.ts";

export type GuestFiles = Machine["files"];
type FilesSnapshot = ReturnType<GuestFiles["snapshot"]>;

export type FileEntry = {
  /** Equal numbers of one history, equal entries. */
  readonly number: number;
} & (
  | { readonly kind: "file"; readonly mode: number; readonly bytes: Uint8Array }
  | { readonly kind: "directory"; readonly mode: number }
  | { readonly kind: "removed" }
);
type Unnumbered = FileEntry extends infer E ? (E extends FileEntry ? Omit<E, "number"> : never) : never;

/** By path; parents come before what is in them. */
export type FileVersion = ReadonlyMap<string, FileEntry>;

const removedSuffix = " (removed)";
const workingDirectory = -100;
const removeDirectory = 0x200;
const typeBits = 0o170000;
const directoryType = 0o040000;
const regularType = 0o100000;
const permissionBits = 0o7777;

/** Entries by what they were made from: while that is the same, so is the entry. */
class KnownEntries {
  readonly #byPath = new Map<string, { readonly of: readonly unknown[]; readonly entry: FileEntry }>();
  #count = 0;

  entry(path: string, of: readonly unknown[], make: () => Unnumbered): FileEntry {
    const before = this.#byPath.get(path);
    if (before?.of.length === of.length && before.of.every((part, i) => part === of[i])) return before.entry;
    const entry = { ...make(), number: ++this.#count } as FileEntry;
    this.#byPath.set(path, { of, entry });
    return entry;
  }
}

export function exportFiles(files: GuestFiles, known = new KnownEntries()): FileVersion {
  const version = new Map<string, FileEntry>();
  const keep = (path: string, of: readonly unknown[], make: () => Unnumbered) =>
    version.set(path, known.entry(path, of, make));
  for (const changed of files.changedPaths()) {
    if (changed.endsWith(removedSuffix)) {
      keep(changed.slice(0, -removedSuffix.length), [], () => ({ kind: "removed" }));
      continue;
    }
    const inode = files.lookup(changed);
    if (inode < 0) continue;
    const id = inode as Parameters<GuestFiles["statOf"]>[0];
    const { mode } = files.statOf(id);
    const permissions = mode & permissionBits;
    if ((mode & typeBits) === directoryType) keep(changed, [mode], () => ({ kind: "directory", mode: permissions }));
    if ((mode & typeBits) !== regularType) continue;
    keep(changed, [mode, ...files.contentsIdentity(id)], () => {
      const bytes = new Uint8Array(files.sizeOf(id));
      files.readPages(id, 0, bytes);
      return { kind: "file", mode: permissions, bytes };
    });
  }
  return version;
}

export function importFiles(files: GuestFiles, version: FileVersion): void {
  for (const [path, entry] of version) {
    if (entry.kind === "removed") {
      if (files.unlink(workingDirectory, path, 0) < 0) files.unlink(workingDirectory, path, removeDirectory);
      continue;
    }
    if (entry.kind === "directory") files.mkdir(workingDirectory, path, entry.mode);
    else files.writeFile(path, entry.bytes);
    files.chmod(workingDirectory, path, entry.mode, 0);
  }
}

/** Calls after which the tree may differ. Stores through mappings are the trace's to tell. */
const changingCalls: ReadonlySet<string> = new Set([
  ...["open", "openat", "creat", "close", "write", "writev", "pwrite64", "pwritev", "pwritev2", "sendfile"],
  ...["copy_file_range", "truncate", "ftruncate", "fallocate", "rename", "renameat", "renameat2", "mkdir", "mkdirat"],
  ...["rmdir", "link", "linkat", "unlink", "unlinkat", "symlink", "symlinkat", "chmod", "fchmod", "fchmodat"],
  ...["mknod", "mknodat", "munmap", "msync"],
]);

/** The files at every position of a trace: versions by number, each from an event on. */
export interface FileVersions {
  /** The number of the version that holds before event `seq`. */
  versionAt(seq: number): number;
  read(version: number): FileVersion;
}

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
export class FileHistory implements FileVersions {
  readonly #starts: number[] = [];
  readonly #notes: FilesSnapshot[] = [];
  #files: GuestFiles | undefined;
  #shown: { readonly version: number; readonly files: FileVersion } | undefined;
  readonly #entries = new KnownEntries();

  /** The machine is loaded: nothing has run. */
  begin(files: GuestFiles): void {
    this.#files = files;
    this.note(0);
  }

  /** A call has ended before event `seq`. */
  returned(name: string, seq: () => number): void {
    if (changingCalls.has(name)) this.note(seq());
  }

  /** A version begins where a file or a name changed. */
  note(seq: number): void {
    const snapshot = this.#files?.snapshot();
    if (snapshot === undefined || snapshot.inodes === this.#notes.at(-1)?.inodes) return;
    this.#notes.push(snapshot);
    this.#starts.push(seq);
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
    this.#files!.restore(this.#notes[version]!);
    this.#shown = { version, files: exportFiles(this.#files!, this.#entries) };
    return this.#shown.files;
  }

  /** A file's own contents as of event `seq`; also a file that is still as the host has it. */
  readFile(path: string, seq: number): Uint8Array {
    const files = this.#files!;
    files.restore(this.#notes[this.versionAt(seq)]!);
    const inode = files.lookup(path);
    if (inode < 0) return new Uint8Array();
    const id = inode as Parameters<GuestFiles["statOf"]>[0];
    const bytes = new Uint8Array(files.sizeOf(id));
    files.readPages(id, 0, bytes);
    return bytes;
  }
}
