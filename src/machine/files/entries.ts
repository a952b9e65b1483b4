/**
 * Names in directories: putting, removing and listing them. Always: a directory's listing is the host's names, less those
 * hidden, plus those of the guest, in byte order; changing a directory marks its times.
 */
import { errno } from "./errno.ts";
import { S } from "./flags.ts";
import { lookup } from "./lookup.ts";
import { hostInodeNumber, hostJoin, typeBits } from "./lower.ts";
import { EXECUTE, permits, stickyForbids, WRITE } from "./permissions.ts";
import type { DirectoryEntry, DirectoryInode, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

const byBytes = (a: DirectoryEntry, b: DirectoryEntry): number => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0);

/** Names without `.` and `..`, or a negative error number. */
export function listEntries(tree: Tree, id: InodeId): readonly DirectoryEntry[] | number {
  const directory = tree.directory(id);
  if (directory.listing !== undefined) return listComputed(tree, directory);
  const all = new Map<string, DirectoryEntry>();
  if (directory.lower !== undefined) {
    const host = tree.options.host.readdir(directory.lower);
    if (typeof host === "number") return host;
    for (const { name, kind } of host) {
      const ino = hostInodeNumber(tree, hostJoin(directory.lower, name));
      all.set(name, { name, ino, type: typeBits[kind] >> 12 });
    }
  }
  for (const [name, inode] of directory.entries) {
    if (inode === 0) all.delete(name);
    else if (!tree.inode(inode).granted || all.has(name)) all.set(name, entryOf(name, tree.inode(inode)));
  }
  return [...all.values()].sort(byBytes);
}

function listComputed(tree: Tree, directory: DirectoryInode): readonly DirectoryEntry[] {
  const names = tree.generated.listings[directory.listing as string]?.names(tree) ?? [];
  return names.map((name) => {
    const id = lookup(tree, directory.id, name) as InodeId;
    return entryOf(name, tree.inode(id));
  });
}

const entryOf = (name: string, inode: Inode): DirectoryEntry => ({
  name,
  ino: inode.ino,
  type: (inode.mode & S.IFMT) >> 12,
});

export function isEmptyDirectory(tree: Tree, id: InodeId): boolean {
  const entries = listEntries(tree, id);
  return typeof entries !== "number" && entries.length === 0;
}

/** Points a name at an inode and remembers the name as the way to it. */
export function putName(tree: Tree, directoryId: InodeId, name: string, id: InodeId): void {
  tree.editDirectory(directoryId).entries.set(name, id);
  const inode = tree.editInode(id);
  inode.parent = directoryId;
  inode.name = name;
  markChanged(tree, directoryId);
}

/** Takes a name away; the host's name, if any, stays hidden. */
export function takeName(tree: Tree, directoryId: InodeId, name: string): void {
  const directory = tree.editDirectory(directoryId);
  if (directory.lower !== undefined && !directory.granted) directory.entries.set(name, 0 as InodeId);
  else directory.entries.delete(name);
  markChanged(tree, directoryId);
}

function markChanged(tree: Tree, directoryId: InodeId): void {
  const directory = tree.editDirectory(directoryId);
  directory.modified = directory.changed = tree.options.now();
}

/** Whether a new name may be made here (may_create of fs/namei.c): 0 or a negative error number. */
export function mayCreate(tree: Tree, directoryId: InodeId): number {
  const directory = tree.directory(directoryId);
  if (directory.nlink === 0) return -errno.ENOENT;
  if (!permits(tree, directory, WRITE | EXECUTE)) return -errno.EACCES;
  if (directory.listing !== undefined) return -errno.ENOENT;
  return 0;
}

/** Whether a name may be removed (may_delete of fs/namei.c): 0 or a negative error number. */
export function mayDelete(tree: Tree, directoryId: InodeId, victimId: InodeId, asDirectory: boolean): number {
  const directory = tree.directory(directoryId);
  const victim = tree.inode(victimId);
  if (!permits(tree, directory, WRITE | EXECUTE)) return -errno.EACCES;
  if (stickyForbids(tree, directory, victim)) return -errno.EPERM;
  if (asDirectory && victim.kind !== "directory") return -errno.ENOTDIR;
  if (!asDirectory && victim.kind === "directory") return -errno.EISDIR;
  if (victim.mount !== directory.mount) return -errno.EBUSY;
  return 0;
}
