/** One step of path resolution and its opposite: the child of a directory by name, and the path of an inode. */
import { errno } from "./errno.ts";
import { leaveHost, lookupLower, refresh } from "./lower.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

export const NAME_MAX = 255;

/** The child, or a negative error number; ENOENT when there is none. Permission to search is the caller's to check. */
export function lookup(tree: Tree, directoryId: InodeId, name: string): InodeId | number {
  if (name.length > NAME_MAX) return -errno.ENAMETOOLONG;
  tree.options.uses?.looked(name);
  const directory = tree.directory(directoryId);
  if (directory.listing !== undefined) return lookupListed(tree, directoryId, name);
  const known = directory.entries.get(name);
  if (known === 0) return -errno.ENOENT;
  if (known === undefined) return lookupLower(tree, directory, name);
  if (directory.granted && tree.inode(known).granted) return lookupGranted(tree, directoryId, name, known);
  return known;
}

/** The host may have changed below a granted directory, also by what a restored guest did before. */
function lookupGranted(tree: Tree, directoryId: InodeId, name: string, known: InodeId): InodeId | number {
  const before = tree.inode(known);
  const stat = tree.options.host.lstat(before.lower as string);
  if (typeof stat !== "number" && stat.kind === before.kind) {
    refresh(tree, known);
    return known;
  }
  tree.editDirectory(directoryId).entries.delete(name);
  const inode = tree.editInode(known);
  inode.nlink = 0;
  if (inode.kind === "directory") leaveHost(inode);
  tree.freeIfUnused(known);
  return typeof stat === "number" ? stat : lookupLower(tree, tree.directory(directoryId), name);
}

function lookupListed(tree: Tree, directoryId: InodeId, name: string): InodeId | number {
  const directory = tree.directory(directoryId);
  const row = tree.generated.listings[directory.listing as string];
  if (row === undefined || !row.names(tree).includes(name)) return -errno.ENOENT;
  const known = directory.entries.get(name);
  if (known !== undefined) return known;
  const made = row.make(tree, directory, name);
  tree.editDirectory(directoryId).entries.set(name, made);
  return made;
}

/** The inode's path by the name it was last reached by; undefined when that name is gone. */
export function findPath(tree: Tree, id: InodeId): string | undefined {
  let path = "";
  for (let at = id; at !== tree.state.root; ) {
    const inode = tree.inode(at);
    if (!tree.hasInode(inode.parent)) return undefined;
    const parent = tree.inode(inode.parent);
    if (parent.kind !== "directory" || parent.entries.get(inode.name) !== at) return undefined;
    path = `/${inode.name}${path}`;
    at = inode.parent;
  }
  return path === "" ? "/" : path;
}

/** The path as /proc shows it: with a remark when the name is gone. */
export function describePath(tree: Tree, id: InodeId): string {
  const path = findPath(tree, id);
  if (path !== undefined) return path;
  const inode = tree.inode(id);
  if (inode.kind === "anonymous") return inode.name;
  const parent = tree.hasInode(inode.parent) ? findPath(tree, inode.parent) : undefined;
  return `${parent === undefined || parent === "/" ? "" : parent}/${inode.name} (deleted)`;
}
