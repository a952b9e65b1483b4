/** Making files, directories and links, in memory or through to the host below granted directories. */

import { mayCreate, putName } from "./entries.ts";
import { errno } from "./errno.ts";
import { AT, S } from "./flags.ts";
import { lookup } from "./lookup.ts";
import { hostNameIn } from "./lower.ts";
import { owns, permits, READ, WRITE } from "./permissions.ts";
import type { FileInode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";
import { locate, type Place, walkToName } from "./walk.ts";

/** What a new name is to be. */
export type Making =
  | { readonly kind: "file" | "directory"; readonly mode: number }
  | { readonly kind: "symlink"; readonly target: string };

/** Where a new name goes (filename_create of fs/namei.c), or a negative error number. */
function placeToCreate(tree: Tree, dirfd: number, path: string, wantsDirectory: boolean): Place | number {
  const place = walkToName(tree, dirfd, path);
  if (typeof place === "number") return place;
  if (place.last !== "name" || place.inode !== 0) return -errno.EEXIST;
  if (place.slash && !wantsDirectory) return -errno.ENOENT;
  return place;
}

/** Makes the inode and its name, which a walk has found free. */
export function makeAt(tree: Tree, directoryId: InodeId, name: string, making: Making): InodeId | number {
  const refused = mayCreate(tree, directoryId);
  if (refused < 0) return refused;
  const directory = tree.directory(directoryId);
  if (!tree.hasRoomForFile()) return -errno.ENOSPC;
  if (directory.granted) return makeOnHost(tree, directoryId, name, making);
  const id = addInMemory(tree, directoryId, name, making);
  putName(tree, directoryId, name, id);
  if (making.kind === "directory") tree.editDirectory(directoryId).nlink++;
  return id;
}

function addInMemory(tree: Tree, directoryId: InodeId, name: string, making: Making): InodeId {
  const directory = tree.directory(directoryId);
  const inherits = (directory.mode & S.ISGID) !== 0;
  const common = {
    parent: directoryId,
    name,
    mount: directory.mount,
    counted: true,
    gid: inherits ? directory.gid : tree.options.gid,
  };
  if (making.kind === "symlink")
    return tree.addInode({ kind: "symlink", ...common, mode: S.IFLNK | 0o777, target: making.target });
  const bits = making.mode & 0o7777 & ~tree.state.umask;
  if (making.kind === "file") return tree.addInode(emptyFile(tree, { ...common, mode: S.IFREG | bits }));
  const mode = S.IFDIR | (bits & 0o1777) | (inherits ? S.ISGID : 0);
  return tree.addInode({ kind: "directory", ...common, mode, nlink: 2, entries: new Map(), listing: undefined });
}

type FilePlace = Pick<FileInode, "parent" | "name" | "mount" | "counted" | "gid" | "mode">;

export const emptyFile = <P extends FilePlace>(tree: Tree, place: P) => ({
  kind: "file" as const,
  ...place,
  size: 0,
  lowerSize: 0,
  pages: tree.versions.table<never>(),
  reserved: [],
  holes: [],
  mappings: 0,
  grown: 0,
  linkable: false,
});

function makeOnHost(tree: Tree, directoryId: InodeId, name: string, making: Making): InodeId | number {
  const path = hostNameIn(tree, directoryId, name);
  if (path === undefined) return -errno.ENOENT;
  const { host } = tree.options;
  const bits = making.kind === "symlink" ? 0 : making.mode & 0o777 & ~tree.state.umask;
  const done =
    making.kind === "symlink"
      ? host.symlink(making.target, path)
      : making.kind === "file"
        ? host.create(path, bits)
        : host.mkdir(path, bits);
  if (done < 0) return done;
  const id = lookup(tree, directoryId, name);
  if (id >= 0) countFile(tree, id as InodeId);
  return id;
}

/** A file on the host counts against the limit as one in memory does. */
function countFile(tree: Tree, id: InodeId): void {
  if (tree.inode(id).counted) return;
  tree.editInode(id).counted = true;
  tree.editState().fileCount++;
}

function makeNamed(tree: Tree, dirfd: number, path: string, making: Making): number {
  const place = placeToCreate(tree, dirfd, path, making.kind === "directory");
  if (typeof place === "number") return place;
  const made = makeAt(tree, place.directory, place.name, making);
  return made < 0 ? made : 0;
}

export const mkdir = (tree: Tree, dirfd: number, path: string, mode: number): number =>
  makeNamed(tree, dirfd, path, { kind: "directory", mode });

export function mknod(tree: Tree, dirfd: number, path: string, mode: number): number {
  const type = mode & S.IFMT;
  if (type === S.IFDIR) return -errno.EPERM;
  const place = placeToCreate(tree, dirfd, path, false);
  if (typeof place === "number") return place;
  if (type !== 0 && type !== S.IFREG) return -errno.EPERM;
  return makeNamed(tree, dirfd, path, { kind: "file", mode });
}

export function symlink(tree: Tree, target: string, dirfd: number, path: string): number {
  if (target === "") return -errno.ENOENT;
  if (target.length >= 4096) return -errno.ENAMETOOLONG;
  return makeNamed(tree, dirfd, path, { kind: "symlink", target });
}

export function link(
  tree: Tree,
  fromDirfd: number,
  from: string,
  toDirfd: number,
  to: string,
  atFlags: number,
): number {
  if ((atFlags & ~(AT.SYMLINK_FOLLOW | AT.EMPTY_PATH)) !== 0) return -errno.EINVAL;
  const nofollow = (atFlags & AT.SYMLINK_FOLLOW) === 0 ? AT.SYMLINK_NOFOLLOW : 0;
  const id = locate(tree, fromDirfd, from, nofollow | (atFlags & AT.EMPTY_PATH));
  if (id < 0) return id;
  return tree.holding([id as InodeId], () => {
    const place = placeToCreate(tree, toDirfd, to, false);
    return typeof place === "number" ? place : linkInode(tree, id as InodeId, place.directory, place.name);
  });
}

function linkInode(tree: Tree, id: InodeId, directoryId: InodeId, name: string): number {
  const inode = tree.inode(id);
  const directory = tree.directory(directoryId);
  if (inode.mount !== directory.mount) return -errno.EXDEV;
  if (!owns(tree, inode) && !isSafeToLink(tree, id)) return -errno.EPERM;
  const refused = mayCreate(tree, directoryId);
  if (refused < 0) return refused;
  if (inode.kind === "directory" || inode.kind === "generated" || inode.kind === "magic-link") return -errno.EPERM;
  if (inode.nlink === 0 && !(inode.kind === "file" && inode.linkable)) return -errno.ENOENT;
  tree.options.uses?.renamed(id);
  if (directory.granted) {
    const path = hostNameIn(tree, directoryId, name);
    if (inode.lower === undefined || path === undefined) return -errno.ENOENT;
    if (!tree.hasRoomForFile()) return -errno.ENOSPC;
    const linked = tree.options.host.link(inode.lower, path);
    if (linked < 0) return linked;
    const found = lookup(tree, directoryId, name);
    if (found >= 0) countFile(tree, found as InodeId);
    return Math.min(found, 0);
  }
  tree.editDirectory(directoryId).entries.set(name, id);
  const linked = tree.editInode(id);
  linked.nlink++;
  linked.changed = tree.options.now();
  if (linked.nlink === 1) putName(tree, directoryId, name, id);
  const edited = tree.editDirectory(directoryId);
  edited.modified = edited.changed = tree.options.now();
  return 0;
}

/** Protected hard links (sysctl fs.protected_hardlinks): other people's files only when plain, and readable and writable. */
function isSafeToLink(tree: Tree, id: InodeId): boolean {
  const inode = tree.inode(id);
  if (inode.kind !== "file" || (inode.mode & S.ISUID) !== 0) return false;
  if ((inode.mode & (S.ISGID | 0o10)) === (S.ISGID | 0o10)) return false;
  return permits(tree, inode, READ | WRITE);
}
