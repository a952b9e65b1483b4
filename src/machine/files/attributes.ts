/** Changing what stat shows: mode, owner, times and size by path; and asking for access (access(2), chmod(2), chown(2), utimensat(2)). */
import { MAX_FILE_SIZE, resize } from "./contents.ts";
import { usable } from "./descriptors.ts";
import { errno } from "./errno.ts";
import { AT, S } from "./flags.ts";
import { refresh } from "./lower.ts";
import { mountIndex } from "./mounts.ts";
import { owns, permits, WRITE } from "./permissions.ts";
import type { Inode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId, TimeChange } from "./types.ts";
import { locate } from "./walk.ts";

export function access(tree: Tree, dirfd: number, path: string, mask: number, atFlags: number): number {
  if ((mask & ~7) !== 0) return -errno.EINVAL;
  const id = locate(tree, dirfd, path, atFlags);
  if (id < 0) return id;
  return permits(tree, tree.inode(id as InodeId), mask) ? 0 : -errno.EACCES;
}

/** Files of /proc and /sys keep their attributes. */
const isFixed = (inode: Inode): boolean =>
  inode.kind === "generated" ||
  inode.kind === "magic-link" ||
  (inode.kind === "directory" && inode.listing !== undefined);

export function chmod(tree: Tree, dirfd: number, path: string, mode: number, atFlags: number): number {
  const id = locate(tree, dirfd, path, atFlags);
  return id < 0 ? id : chmodInode(tree, id as InodeId, mode);
}

export function chmodInode(tree: Tree, id: InodeId, mode: number): number {
  const inode = tree.inode(id);
  if (inode.kind === "symlink" || inode.mount === mountIndex.anonymous) return -errno.EOPNOTSUPP;
  if (!owns(tree, inode) || isFixed(inode)) return -errno.EPERM;
  const bits = mode & 0o7777 & ~(inode.gid === tree.options.gid ? 0 : S.ISGID);
  if (inode.granted) {
    const done = tree.options.host.chmod(inode.lower as string, bits);
    refresh(tree, id);
    return done;
  }
  const edited = tree.editInode(id);
  edited.mode = (inode.mode & S.IFMT) | bits;
  edited.rechmoded = true;
  edited.changed = tree.options.now();
  return 0;
}

export function chown(tree: Tree, dirfd: number, path: string, uid: number, gid: number, atFlags: number): number {
  const id = locate(tree, dirfd, path, atFlags);
  return id < 0 ? id : chownInode(tree, id as InodeId, uid, gid);
}

/** An ordinary user may only give a file of theirs the ids they already have. */
export function chownInode(tree: Tree, id: InodeId, uid: number, gid: number): number {
  const inode = tree.inode(id);
  const keepsUid = uid === -1 || (owns(tree, inode) && uid === inode.uid);
  const keepsGid = gid === -1 || (owns(tree, inode) && (gid === inode.gid || gid === tree.options.gid));
  if (!keepsUid || !keepsGid || (isFixed(inode) && (uid !== -1 || gid !== -1))) return -errno.EPERM;
  if (inode.granted) return 0;
  const edited = tree.editInode(id);
  if (gid !== -1) edited.gid = gid;
  edited.changed = tree.options.now();
  if (inode.kind !== "directory") dropSetIds(tree, id);
  return 0;
}

/** A file that is written or given away loses set-user-id, and set-group-id when it could be executed by the group. */
export function dropSetIds(tree: Tree, id: InodeId): void {
  const { mode, granted } = tree.inode(id);
  const lost = S.ISUID | ((mode & 0o10) !== 0 ? S.ISGID : 0);
  if ((mode & lost) !== 0 && !granted) tree.editInode(id).mode = mode & ~lost;
}

export function utimens(
  tree: Tree,
  dirfd: number,
  path: string | undefined,
  accessed: TimeChange,
  modified: TimeChange,
  atFlags: number,
): number {
  if (accessed === "omit" && modified === "omit") return 0;
  if ((atFlags & ~(AT.SYMLINK_NOFOLLOW | AT.EMPTY_PATH)) !== 0) return -errno.EINVAL;
  const id = path === undefined ? (usable(tree, dirfd)?.inode ?? -errno.EBADF) : locate(tree, dirfd, path, atFlags);
  return id < 0 ? id : setTimes(tree, id as InodeId, accessed, modified);
}

function setTimes(tree: Tree, id: InodeId, accessed: TimeChange, modified: TimeChange): number {
  const inode = refresh(tree, id);
  const justNow = accessed === "now" && modified === "now";
  if (!owns(tree, inode)) {
    if (!justNow) return -errno.EPERM;
    if (!permits(tree, inode, WRITE)) return -errno.EACCES;
  }
  if (isFixed(inode)) return -errno.EPERM;
  const now = tree.options.now();
  const chosen = (change: TimeChange, old: bigint) => (change === "now" ? now : change === "omit" ? old : change);
  const times = { accessed: chosen(accessed, inode.accessed), modified: chosen(modified, inode.modified) };
  if (inode.granted) {
    const done = tree.options.host.setTimes(inode.lower as string, times.accessed, times.modified);
    refresh(tree, id);
    return done;
  }
  Object.assign(tree.editInode(id), times, { changed: now });
  return 0;
}

export function truncate(tree: Tree, path: string, size: number): number {
  if (size < 0) return -errno.EINVAL;
  const id = locate(tree, AT.FDCWD, path, 0);
  if (id < 0) return id;
  const inode = tree.inode(id as InodeId);
  if (inode.kind === "directory") return -errno.EISDIR;
  if (inode.kind !== "file") return -errno.EINVAL;
  if (!permits(tree, inode, WRITE)) return -errno.EACCES;
  return truncateFile(tree, inode.id, size);
}

export function truncateFile(tree: Tree, id: InodeId, size: number): number {
  if (size > MAX_FILE_SIZE) return -errno.EFBIG;
  const done = resize(tree, id, size);
  if (done === 0) dropSetIds(tree, id);
  return done;
}
