/** Removing and renaming (do_unlinkat, do_rmdir and do_renameat2 of fs/namei.c, with their order of errors). */
import { detach } from "./contents.ts";
import { isEmptyDirectory, mayCreate, mayDelete, putName, takeName } from "./entries.ts";
import { errno } from "./errno.ts";
import { AT, RENAME } from "./flags.ts";
import { lookup } from "./lookup.ts";
import { hostJoin, hostNameIn, leaveHost, refresh } from "./lower.ts";
import { permits, WRITE } from "./permissions.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";
import { type Place, walk, walkToName } from "./walk.ts";

export function unlink(tree: Tree, dirfd: number, path: string, atFlags: number): number {
  if ((atFlags & ~AT.REMOVEDIR) !== 0) return -errno.EINVAL;
  const place = walkToName(tree, dirfd, path);
  if (typeof place === "number") return place;
  return (atFlags & AT.REMOVEDIR) !== 0 ? removeDirectory(tree, place) : removeFile(tree, place);
}

function removeFile(tree: Tree, place: Place): number {
  if (place.last !== "name") return -errno.EISDIR;
  if (place.inode === 0) return -errno.ENOENT;
  if (place.slash) return tree.inode(place.inode).kind === "directory" ? -errno.EISDIR : -errno.ENOTDIR;
  const refused = mayDelete(tree, place.directory, place.inode, false);
  if (refused < 0) return refused;
  tree.options.uses?.renamed(place.inode);
  return discard(tree, place.directory, place.name, place.inode);
}

const rmdirErrors = { dot: errno.EINVAL, dotdot: errno.ENOTEMPTY, root: errno.EBUSY } as const;

function removeDirectory(tree: Tree, place: Place): number {
  if (place.last !== "name") return -rmdirErrors[place.last];
  if (place.inode === 0) return -errno.ENOENT;
  const refused = mayDelete(tree, place.directory, place.inode, true);
  if (refused < 0) return refused;
  if (!isEmptyDirectory(tree, place.inode)) return -errno.ENOTEMPTY;
  return discard(tree, place.directory, place.name, place.inode);
}

/** Takes away a name that may go: a file, a link or an empty directory. */
function discard(tree: Tree, directoryId: InodeId, name: string, id: InodeId): number {
  const inode = tree.inode(id);
  if (inode.granted) {
    const { host } = tree.options;
    if (inode.kind === "file" && inode.holders > 0) detach(tree, id);
    const path = hostNameIn(tree, directoryId, name);
    if (path === undefined) return -errno.ENOENT;
    const done = inode.kind === "directory" ? host.rmdir(path) : host.unlink(path);
    if (done < 0) return done;
  }
  takeName(tree, directoryId, name);
  forgetName(tree, directoryId, id);
  return 0;
}

/** One name fewer leads to the inode. */
function forgetName(tree: Tree, directoryId: InodeId, id: InodeId): void {
  const inode = tree.editInode(id);
  const left = inode.kind === "directory" || inode.granted ? 0 : inode.nlink - 1;
  if (inode.granted) leaveHost(inode);
  inode.nlink = left;
  inode.changed = tree.options.now();
  if (inode.kind === "directory") countLinks(tree, directoryId, -1);
  tree.freeIfUnused(id);
}

/** Some file systems do not count the directories in one; a directory that has its name has a link all the same. */
function countLinks(tree: Tree, directoryId: InodeId, change: number): void {
  const directory = tree.editDirectory(directoryId);
  if (directory.granted) refresh(tree, directoryId);
  else directory.nlink = Math.max(1, directory.nlink + change);
}

export function rename(
  tree: Tree,
  fromDirfd: number,
  from: string,
  toDirfd: number,
  to: string,
  flags: number,
): number {
  const exchanges = (flags & RENAME.EXCHANGE) !== 0;
  if ((flags & ~(RENAME.NOREPLACE | RENAME.EXCHANGE)) !== 0) return -errno.EINVAL;
  if (exchanges && (flags & RENAME.NOREPLACE) !== 0) return -errno.EINVAL;
  const source = walk(tree, fromDirfd, from, "parent");
  if (typeof source === "number") return source;
  return tree.holding([source.directory, source.inode], () => {
    const target = walk(tree, toDirfd, to, "parent");
    return typeof target === "number" ? target : renamePlaces(tree, source, target, flags);
  });
}

function renamePlaces(tree: Tree, source: Place, target: Place, flags: number): number {
  const exchanges = (flags & RENAME.EXCHANGE) !== 0;
  const wrong = checkPlaces(tree, source, target, flags);
  if (wrong < 0) return wrong;
  if (source.inode === target.inode) return 0;
  const refused = checkRights(tree, source, target, exchanges);
  if (refused < 0) return refused;
  for (const id of [source.inode, target.inode]) if (id !== 0) tree.options.uses?.renamed(id);
  if (tree.inode(source.inode).granted) return renameOnHost(tree, source, target, exchanges);
  if (exchanges) return exchange(tree, source, target);
  move(tree, source, target);
  return 0;
}

/** The names themselves: kinds of last component, existence, trailing slashes, one inside the other. */
function checkPlaces(tree: Tree, source: Place, target: Place, flags: number): number {
  const exchanges = (flags & RENAME.EXCHANGE) !== 0;
  if (tree.directory(source.directory).mount !== tree.directory(target.directory).mount) return -errno.EXDEV;
  if (source.last !== "name") return -errno.EBUSY;
  if (target.last !== "name") return (flags & RENAME.NOREPLACE) !== 0 ? -errno.EEXIST : -errno.EBUSY;
  if (source.failure < 0) return source.failure;
  if (source.inode === 0) return -errno.ENOENT;
  if (target.failure < 0) return target.failure;
  if (target.inode !== 0 && (flags & RENAME.NOREPLACE) !== 0) return -errno.EEXIST;
  const isDirectory = (id: InodeId) => tree.inode(id).kind === "directory";
  if (exchanges) {
    if (target.inode === 0) return -errno.ENOENT;
    if (!isDirectory(target.inode) && target.slash) return -errno.ENOTDIR;
  }
  if (!isDirectory(source.inode) && (source.slash || (!exchanges && target.slash))) return -errno.ENOTDIR;
  if (isInside(tree, target.directory, source.inode)) return -errno.EINVAL;
  if (target.inode !== 0 && isInside(tree, source.directory, target.inode))
    return exchanges ? -errno.EINVAL : -errno.ENOTEMPTY;
  return 0;
}

/** vfs_rename: permissions on both directories, kinds that may replace each other, and `..` that must change. */
function checkRights(tree: Tree, source: Place, target: Place, exchanges: boolean): number {
  const moved = tree.inode(source.inode);
  const isDirectory = moved.kind === "directory";
  const leaving = mayDelete(tree, source.directory, source.inode, isDirectory);
  if (leaving < 0) return leaving;
  const replaced = target.inode === 0 ? undefined : tree.inode(target.inode);
  const asDirectory = exchanges && replaced ? replaced.kind === "directory" : isDirectory;
  const arriving =
    replaced === undefined
      ? mayCreate(tree, target.directory)
      : mayDelete(tree, target.directory, replaced.id, asDirectory);
  if (arriving < 0) return arriving;
  if (source.directory !== target.directory) {
    if (isDirectory && !permits(tree, moved, WRITE)) return -errno.EACCES;
    if (exchanges && replaced?.kind === "directory" && !permits(tree, replaced, WRITE)) return -errno.EACCES;
  }
  if (!exchanges && replaced?.kind === "directory" && !isEmptyDirectory(tree, replaced.id)) return -errno.ENOTEMPTY;
  return 0;
}

/** Whether a directory is `ancestor` or lies below it. */
function isInside(tree: Tree, directoryId: InodeId, ancestor: InodeId): boolean {
  for (let at = directoryId; ; at = tree.directory(at).parent) {
    if (at === ancestor) return true;
    if (at === tree.state.root || !tree.hasInode(tree.directory(at).parent)) return false;
  }
}

function move(tree: Tree, source: Place, target: Place): void {
  const isDirectory = tree.inode(source.inode).kind === "directory";
  if (target.inode !== 0) forgetName(tree, target.directory, target.inode);
  takeName(tree, source.directory, source.name);
  putName(tree, target.directory, target.name, source.inode);
  tree.editInode(source.inode).changed = tree.options.now();
  if (isDirectory) {
    countLinks(tree, source.directory, -1);
    countLinks(tree, target.directory, 1);
  }
}

function exchange(tree: Tree, source: Place, target: Place): number {
  const count = (id: InodeId): number => (tree.inode(id).kind === "directory" ? 1 : 0);
  const gained = count(target.inode) - count(source.inode);
  putName(tree, source.directory, source.name, target.inode);
  putName(tree, target.directory, target.name, source.inode);
  countLinks(tree, source.directory, gained);
  countLinks(tree, target.directory, -gained);
  return 0;
}

/** Below a granted directory the host renames, and every inode known below the moved one learns its new host path. */
function renameOnHost(tree: Tree, source: Place, target: Place, exchanges: boolean): number {
  if (exchanges) return -errno.EINVAL;
  const from = hostNameIn(tree, source.directory, source.name);
  const to = hostNameIn(tree, target.directory, target.name);
  if (from === undefined || to === undefined) return -errno.ENOENT;
  if (target.inode !== 0) {
    const replaced = tree.inode(target.inode);
    if (replaced.kind === "file" && replaced.holders > 0) detach(tree, target.inode);
  }
  const done = tree.options.host.rename(from, to);
  if (done < 0) return done;
  if (target.inode !== 0) {
    const replaced = tree.editInode(target.inode);
    if (replaced.granted) leaveHost(replaced);
    replaced.nlink = 0;
    tree.freeIfUnused(target.inode);
  }
  takeName(tree, source.directory, source.name);
  putName(tree, target.directory, target.name, source.inode);
  rehome(tree, source.inode, to);
  return lookup(tree, target.directory, target.name) < 0 ? -errno.ENOENT : 0;
}

function rehome(tree: Tree, id: InodeId, path: string): void {
  const inode = tree.editInode(id);
  inode.lower = path;
  if (inode.kind !== "directory") return;
  for (const [name, child] of inode.entries) if (child !== 0) rehome(tree, child, hostJoin(path, name));
}
