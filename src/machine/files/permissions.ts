/**
 * Who may do what: plain permission bits for one user without privileges. Always: the host's own verdict can widen
 * reading and searching of files the guest has not chmod'ed (groups and ACLs of the user who runs the machine), and
 * decides everything inside granted directories; it never widens writing elsewhere.
 */
import { S } from "./flags.ts";
import type { DirectoryInode, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";

export const READ = 4;
export const WRITE = 2;
export const EXECUTE = 1;

export function permits(tree: Tree, inode: Inode, mask: number): boolean {
  if (inode.kind === "symlink") return true;
  const { uid, gid, host } = tree.options;
  const shift = inode.uid === uid ? 6 : inode.gid === gid ? 3 : 0;
  if (((inode.mode >> shift) & mask) === mask) return true;
  if (inode.lower === undefined || inode.rechmoded) return false;
  return (inode.granted || (mask & WRITE) === 0) && host.permits(inode.lower, mask);
}

export const owns = (tree: Tree, inode: Inode): boolean => inode.uid === tree.options.uid;

/** In a sticky directory only the owner of the file or of the directory removes names. */
export const stickyForbids = (tree: Tree, directory: DirectoryInode, victim: Inode): boolean =>
  (directory.mode & S.ISVTX) !== 0 && !owns(tree, victim) && !owns(tree, directory);
