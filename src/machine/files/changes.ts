/** What a guest changed: the paths in memory that differ from the host's tree. */
import { findPath } from "./lookup.ts";
import { hostJoin } from "./lower.ts";
import { mountIndex } from "./mounts.ts";
import type { DirectoryInode, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";

const COMPUTED: readonly number[] = [mountIndex.proc, mountIndex.sys, mountIndex.dev];

export function changedPaths(tree: Tree): readonly string[] {
  const found: string[] = [];
  collect(tree, tree.directory(tree.state.root), "", found);
  return found.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

function collect(tree: Tree, directory: DirectoryInode, path: string, found: string[]): void {
  for (const [name, id] of directory.entries) {
    const here = `${path}/${name}`;
    const lower = directory.lower === undefined ? undefined : hostJoin(directory.lower, name);
    if (id === 0) {
      if (lower !== undefined && typeof tree.options.host.lstat(lower) !== "number") found.push(`${here} (removed)`);
      continue;
    }
    const inode = tree.inode(id);
    if (inode.granted) continue;
    if (!COMPUTED.includes(inode.mount) && differs(tree, inode, lower)) found.push(here);
    if (inode.kind === "directory" && inode.mount !== mountIndex.proc) collect(tree, inode, here, found);
  }
}

/** Whether an inode is not simply the host's file of that name. */
function differs(tree: Tree, inode: Inode, lower: string | undefined): boolean {
  if (inode.mount === mountIndex.shm && findPath(tree, inode.id) === "/dev/shm") return false;
  if (inode.lower === undefined || inode.lower !== lower || inode.rechmoded) return true;
  if (inode.kind !== "file") return false;
  if (inode.pages.size > 0 || inode.holes.length > 0) return true;
  const stat = tree.options.host.lstat(inode.lower);
  return typeof stat === "number" || stat.size !== inode.size;
}
