/**
 * Path resolution (path_resolution(7), fs/namei.c). Always:
 * - A component is looked up only in a directory the guest may search; names and links stay inside the guest's root.
 * - At most 40 symbolic links are followed.
 * - A missing last component is not an error here: the caller knows whether it wants to make it.
 */
import { errno } from "./errno.ts";
import { AT } from "./flags.ts";
import { lookup } from "./lookup.ts";
import { EXECUTE, permits } from "./permissions.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

const PATH_MAX = 4096;
const LINKS_MAX = 40;

/** Where a path leads. */
export interface Place {
  /** The directory that has or would have the last component. */
  readonly directory: InodeId;
  readonly name: string;
  /** 0: the last component does not exist. */
  readonly inode: InodeId;
  readonly last: "name" | "dot" | "dotdot" | "root";
  /** The path ends in a slash. */
  readonly slash: boolean;
  /** Looking for the last component failed otherwise than by its absence; only in mode `parent`, where the caller may have more to check first. */
  readonly failure: number;
  /** The last component was a link of /proc to an open description. */
  readonly description: number | undefined;
}

/** `parent`: never follow the last component. `follow`: do. `nofollow`: only when a slash comes after it. `create`: as the two, but a slash after it is EISDIR. */
export type WalkMode = "parent" | "follow" | "nofollow" | "create" | "create-nofollow";

/** The directory a relative path starts from. */
function startOf(tree: Tree, dirfd: number, path: string): InodeId | number {
  if (path.startsWith("/")) return tree.state.root;
  if (dirfd === AT.FDCWD) return tree.state.workingDirectory;
  const descriptor = tree.descriptor(dirfd);
  const description = descriptor && tree.description(descriptor.description);
  if (description === undefined) return -errno.EBADF;
  return tree.inode(description.inode).kind === "directory" ? description.inode : -errno.ENOTDIR;
}

export function walk(tree: Tree, dirfd: number, path: string, mode: WalkMode): Place | number {
  if (path === "") return -errno.ENOENT;
  if (path.length >= PATH_MAX) return -errno.ENAMETOOLONG;
  const start = startOf(tree, dirfd, path);
  if (start < 0) return start;
  let directory = start as InodeId;
  let rest = path;
  let links = 0;
  for (;;) {
    const { name, after } = splitFirst(rest);
    const slash = after !== "";
    const isLast = skipSlashes(after, 0) === after.length;
    if (name === "") return found(directory, "", directory, "root", false);
    const here = tree.inode(directory);
    if (here.kind !== "directory") return -errno.ENOTDIR;
    if (!permits(tree, here, EXECUTE)) return -errno.EACCES;
    if (name === "." || name === "..") {
      if (name === "..") directory = here.parent;
      if (!tree.hasInode(directory)) return -errno.ENOENT;
      if (isLast) return found(directory, name, directory, name === "." ? "dot" : "dotdot", slash);
      rest = after;
      continue;
    }
    if (isLast && slash && mode.startsWith("create")) return -errno.EISDIR;
    const child = lookup(tree, directory, name);
    if (child < 0) {
      if (!isLast || (child !== -errno.ENOENT && mode !== "parent")) return child;
      const failure = child === -errno.ENOENT ? 0 : child;
      return { ...found(directory, name, 0 as InodeId, "name", slash), failure };
    }
    const inode = tree.inode(child as InodeId);
    const isLink = inode.kind === "symlink" || inode.kind === "magic-link";
    const follows = !isLast || mode === "follow" || mode === "create" || (mode === "nofollow" && slash);
    if (isLink && follows) {
      if (links++ >= LINKS_MAX) return -errno.ELOOP;
      if (inode.kind === "symlink") {
        if (inode.target.startsWith("/")) directory = tree.state.root;
        rest = inode.target + after;
        continue;
      }
      const jump = tree.generated.links[inode.row]?.jump(tree, inode.subject);
      if (jump === undefined) return -errno.ENOENT;
      if (typeof jump === "number") return jump;
      if (isLast) return { ...found(directory, name, jump.inode, "name", slash), description: jump.description };
      directory = jump.inode;
    } else if (isLast) {
      if (slash && mode !== "parent" && inode.kind !== "directory") return -errno.ENOTDIR;
      return found(directory, name, child as InodeId, "name", slash);
    } else directory = child as InodeId;
    rest = after;
  }
}

const SLASH = 47;
function skipSlashes(path: string, from: number): number {
  let at = from;
  while (at < path.length && path.charCodeAt(at) === SLASH) at++;
  return at;
}

function splitFirst(path: string): { name: string; after: string } {
  const begin = skipSlashes(path, 0);
  if (begin === path.length) return { name: "", after: "" };
  const end = path.indexOf("/", begin);
  return end < 0 ? { name: path.slice(begin), after: "" } : { name: path.slice(begin, end), after: path.slice(end) };
}

const found = (directory: InodeId, name: string, inode: InodeId, last: Place["last"], slash: boolean): Place => ({
  directory,
  name,
  inode,
  last,
  slash,
  failure: 0,
  description: undefined,
});

/** The place of a name to make or remove. */
export function walkToName(tree: Tree, dirfd: number, path: string): Place | number {
  const place = walk(tree, dirfd, path, "parent");
  return typeof place !== "number" && place.failure < 0 ? place.failure : place;
}

/** An existing file by its path, or with AT.EMPTY_PATH by its descriptor. */
export function locate(tree: Tree, dirfd: number, path: string, atFlags: number): InodeId | number {
  if (path === "" && (atFlags & AT.EMPTY_PATH) !== 0) {
    if (dirfd === AT.FDCWD) return tree.state.workingDirectory;
    const descriptor = tree.descriptor(dirfd);
    return (descriptor && tree.description(descriptor.description)?.inode) ?? -errno.EBADF;
  }
  const place = walk(tree, dirfd, path, (atFlags & AT.SYMLINK_NOFOLLOW) !== 0 ? "nofollow" : "follow");
  if (typeof place === "number") return place;
  return place.inode === 0 ? -errno.ENOENT : place.inode;
}
