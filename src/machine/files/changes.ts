/** What a guest changed: the paths in memory that differ from the host's tree. */
import { findPath } from "./lookup.ts";
import { hostJoin } from "./lower.ts";
import { mountIndex } from "./mounts.ts";
import type { DirectoryInode, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";

const COMPUTED: readonly number[] = [mountIndex.proc, mountIndex.sys, mountIndex.dev];

/** Of a changed file with several names, all of them: also those that led to it before. */
export function changedPaths(tree: Tree): readonly string[] {
  const names = [...namesIn(tree, tree.directory(tree.state.root), "")];
  const linked = new Set(
    names.flatMap(({ inode, differs }) => (differs && inode?.kind === "file" && inode.nlink > 1 ? [inode.id] : [])),
  );
  return names
    .filter(({ inode, differs }) => differs || (inode !== undefined && linked.has(inode.id)))
    .map(({ path, inode }) => (inode === undefined ? `${path} (removed)` : path))
    .sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
}

interface NameInTree {
  readonly path: string;
  /** Undefined: the host has the name and the guest does not. */
  readonly inode: Inode | undefined;
  readonly differs: boolean;
}

function* namesIn(tree: Tree, directory: DirectoryInode, path: string): Generator<NameInTree> {
  for (const [name, id] of directory.entries) {
    const here = `${path}/${name}`;
    const lower = directory.lower === undefined ? undefined : hostJoin(directory.lower, name);
    if (id === 0) {
      if (lower !== undefined && typeof tree.options.host.lstat(lower) !== "number")
        yield { path: here, inode: undefined, differs: true };
      continue;
    }
    const inode = tree.inode(id);
    if (inode.granted) continue;
    const isComputed = COMPUTED.includes(inode.mount);
    yield { path: here, inode, differs: !isComputed && differs(tree, inode, lower) };
    if (inode.kind === "directory" && inode.mount !== mountIndex.proc) yield* namesIn(tree, inode, here);
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
