/**
 * The files of a guest as plain data, to be carried from one machine to another: what differs from the host's tree. Always:
 * - Contents are the files' own, not those of mapped pages: persistent memory is laid over them line by line.
 * - What the guest wrote through file calls is kept, also when it was not synced.
 * - A file with several names is one file, and a symbolic link is a link.
 * - A file that was a pool keeps that name, wherever it is found now (process/pool-names.ts).
 * - Contents are values that versions and machines share: a version costs the names and ranges that it has, not its bytes.
 */
import type { GuestFiles } from "./api.ts";
import { AT, S } from "./flags.ts";
import type { InodeId } from "./types.ts";
import type { FileContents } from "./values.ts";

export interface FileOfVersion {
  readonly kind: "file";
  readonly mode: number;
  readonly contents: FileContents;
  /** The pool that it is, where that is not its path. */
  readonly pool?: string;
  /** An earlier path of the version that names the same file. */
  readonly sameAs?: string;
}

export type FileEntry = {
  /** Equal numbers of one history, equal entries. */
  readonly number: number;
} & (
  | FileOfVersion
  | { readonly kind: "symlink"; readonly target: string }
  | { readonly kind: "directory"; readonly mode: number }
  | { readonly kind: "removed" }
);
type Unnumbered = FileEntry extends infer E ? (E extends FileEntry ? Omit<E, "number"> : never) : never;

/** By path; parents come before what is in them. */
export type FileVersion = ReadonlyMap<string, FileEntry>;

const removedSuffix = " (removed)";
const permissionBits = 0o7777;

/** Entries by what they were made from: while that is the same, so is the entry. */
export class KnownEntries {
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

/** The name of the pool that a file is or would be. */
type PoolOf = (inode: InodeId) => string;

export function exportFiles(files: GuestFiles, poolOf: PoolOf, known = new KnownEntries()): FileVersion {
  const version = new Map<string, FileEntry>();
  const firstPaths = new Map<InodeId, string>();
  const keep = (path: string, of: readonly unknown[], make: () => Unnumbered) =>
    version.set(path, known.entry(path, of, make));
  for (const changed of files.changedPaths()) {
    if (changed.endsWith(removedSuffix)) {
      keep(changed.slice(0, -removedSuffix.length), [], () => ({ kind: "removed" }));
      continue;
    }
    const inode = files.find(changed);
    if (inode < 0) continue;
    const id = inode as InodeId;
    const { mode } = files.statOf(id);
    const permissions = mode & permissionBits;
    const type = mode & S.IFMT;
    if (type === S.IFDIR) keep(changed, [mode], () => ({ kind: "directory", mode: permissions }));
    if (type === S.IFLNK) {
      const target = files.readlink(AT.FDCWD, changed);
      if (typeof target === "string") keep(changed, [mode, target], () => ({ kind: "symlink", target }));
    }
    if (type !== S.IFREG) continue;
    const name = poolOf(id);
    const pool = name === changed ? undefined : name;
    const sameAs = firstPaths.get(id);
    if (sameAs === undefined) firstPaths.set(id, changed);
    keep(changed, [mode, pool, sameAs, ...files.contentsIdentity(id)], () => {
      const contents = files.contentsOf(id);
      return { kind: "file", mode: permissions, contents, ...(pool && { pool }), ...(sameAs && { sameAs }) };
    });
  }
  return version;
}

/** `isPool` is told of files that are pools by another name than their path. */
export function importFiles(
  files: GuestFiles,
  version: FileVersion,
  isPool: (inode: InodeId, pool: string) => void,
): void {
  for (const [path, entry] of version) {
    if (entry.kind === "removed") remove(files, path);
    else if (entry.kind === "symlink") {
      remove(files, path);
      files.symlink(entry.target, AT.FDCWD, path);
    } else {
      if (entry.kind === "directory") files.mkdir(AT.FDCWD, path, entry.mode);
      else importFile(files, path, entry);
      files.chmod(AT.FDCWD, path, entry.mode, 0);
    }
    if (entry.kind === "file" && entry.pool !== undefined) {
      const inode = files.find(path);
      if (inode >= 0) isPool(inode as InodeId, entry.pool);
    }
  }
}

function importFile(files: GuestFiles, path: string, { contents, sameAs }: FileOfVersion): void {
  const there = files.find(path);
  if (sameAs !== undefined) {
    if (there === files.find(sameAs)) return;
    remove(files, path);
    files.link(AT.FDCWD, sameAs, AT.FDCWD, path, 0);
    return;
  }
  if (there >= 0 && isAnother(files, there as InodeId, contents)) remove(files, path);
  files.adopt(path, contents);
}

/** Whether what is there must not get these contents: a link, or a file that other names of the host lead to. */
function isAnother(files: GuestFiles, there: InodeId, contents: FileContents): boolean {
  const { mode, nlink } = files.statOf(there);
  if ((mode & S.IFMT) !== S.IFREG) return (mode & S.IFMT) === S.IFLNK;
  return nlink > 1 && files.contentsOf(there).lower !== contents.lower;
}

function remove(files: GuestFiles, path: string): void {
  if (files.unlink(AT.FDCWD, path, 0) < 0) files.unlink(AT.FDCWD, path, AT.REMOVEDIR);
}
