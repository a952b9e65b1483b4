/**
 * The files of a guest as plain data, to be carried from one machine to another: what differs from the host's tree. Always:
 * - Contents are the files' own, not those of mapped pages: persistent memory is laid over them line by line.
 * - What the guest wrote through file calls is kept, also when it was not synced.
 * - Contents are values that versions and machines share: a version costs the names and ranges that it has, not its bytes.
 */
import type { GuestFiles } from "./api.ts";
import { AT, S } from "./flags.ts";
import type { InodeId } from "./types.ts";
import type { FileContents } from "./values.ts";

export type FileEntry = {
  /** Equal numbers of one history, equal entries. */
  readonly number: number;
} & (
  | { readonly kind: "file"; readonly mode: number; readonly contents: FileContents }
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
    const id = inode as InodeId;
    const { mode } = files.statOf(id);
    const permissions = mode & permissionBits;
    if ((mode & S.IFMT) === S.IFDIR) keep(changed, [mode], () => ({ kind: "directory", mode: permissions }));
    if ((mode & S.IFMT) !== S.IFREG) continue;
    keep(changed, [mode, ...files.contentsIdentity(id)], () => {
      return { kind: "file", mode: permissions, contents: files.contentsOf(id) };
    });
  }
  return version;
}

export function importFiles(files: GuestFiles, version: FileVersion): void {
  for (const [path, entry] of version) {
    if (entry.kind === "removed") {
      if (files.unlink(AT.FDCWD, path, 0) < 0) files.unlink(AT.FDCWD, path, AT.REMOVEDIR);
      continue;
    }
    if (entry.kind === "directory") files.mkdir(AT.FDCWD, path, entry.mode);
    else files.adopt(path, entry.contents);
    files.chmod(AT.FDCWD, path, entry.mode, 0);
  }
}
