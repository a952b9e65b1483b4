/**
 * The host's tree as the lower layer: how a host file becomes an inode. Always:
 * - Outside granted directories the host is taken as constant: it is looked at once per name, then the inode answers.
 * - Inside granted directories every look-up and stat asks the host again.
 * - Files of the user who runs the machine belong to the guest's user inside, as in a user namespace; a file of whoever
 *   has the guest's number outside shows as nobody's.
 */
import type { HostKind, HostStat } from "../../base/index.ts";
import { errno } from "./errno.ts";
import { S } from "./flags.ts";
import { mountIndex } from "./mounts.ts";
import type { DirectoryInode, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

const NOBODY = 65534;

export const typeBits: Readonly<Record<HostKind, number>> = {
  file: S.IFREG,
  directory: S.IFDIR,
  symlink: S.IFLNK,
  other: S.IFSOCK,
};

export const hostJoin = (directory: string, name: string): string =>
  directory.endsWith("/") ? directory + name : `${directory}/${name}`;

/** The host path of a name in a granted directory; undefined when the host has that directory no more. */
export function hostNameIn(tree: Tree, directoryId: InodeId, name: string): string | undefined {
  const { lower, granted } = tree.directory(directoryId);
  return granted && lower !== undefined ? hostJoin(lower, name) : undefined;
}

/** A 52-bit number from a path, at least 2^32 so that it never meets a counted one (after cyrb53 by bryc, public domain). */
export function inodeNumber(path: string): number {
  let low = 0xdeadbeef;
  let high = 0x41c6ce57;
  for (let i = 0; i < path.length; i++) {
    low = Math.imul(low ^ path.charCodeAt(i), 0x9e3779b1);
    high = Math.imul(high ^ path.charCodeAt(i), 0x5f356495);
  }
  low = Math.imul(low ^ (low >>> 16), 0x85ebca6b) ^ Math.imul(high ^ (high >>> 13), 0xc2b2ae35);
  high = Math.imul(high ^ (high >>> 16), 0x85ebca6b) ^ Math.imul(low ^ (low >>> 13), 0xc2b2ae35);
  return ((high & 0x7ffff) | 0x80000) * 2 ** 32 + (low >>> 0);
}

/** The inode number of a host path: hashed below the guest's root, so it does not depend on where that root lies. */
export const hostInodeNumber = (tree: Tree, path: string): number =>
  inodeNumber(path.slice(tree.options.root === "/" ? 0 : tree.options.root.length));

function owner(found: number, hostId: number, guestId: number): number {
  if (found === hostId) return guestId;
  return found === guestId ? NOBODY : found;
}

const attributes = (tree: Tree, stat: HostStat) => ({
  mode: typeBits[stat.kind] | stat.mode,
  nlink: stat.nlink,
  uid: owner(stat.uid, tree.options.host.uid, tree.options.uid),
  gid: owner(stat.gid, tree.options.host.gid, tree.options.gid),
  accessed: stat.modified,
  modified: stat.modified,
  changed: stat.modified,
  born: stat.modified,
});

/** Asks the host for a name its directory does not know yet. */
export function lookupLower(tree: Tree, directory: DirectoryInode, name: string): InodeId | number {
  if (directory.lower === undefined) return -errno.ENOENT;
  const path = hostJoin(directory.lower, name);
  const stat = tree.options.host.lstat(path);
  if (typeof stat === "number") return stat;
  const key = `${stat.dev}:${stat.ino}`;
  const shared = stat.kind === "file" && stat.nlink > 1 && !directory.granted;
  const known = shared ? tree.state.hostLinks.get(key) : undefined;
  const id = known ?? addLower(tree, directory, name, path, stat);
  if (id <= 0) return id;
  if (shared && known === undefined) {
    const state = tree.editState();
    state.hostLinks = new Map(state.hostLinks).set(key, id as InodeId);
  }
  tree.editDirectory(directory.id).entries.set(name, id as InodeId);
  return id;
}

function addLower(tree: Tree, directory: DirectoryInode, name: string, path: string, stat: HostStat): InodeId | number {
  const granted = directory.granted;
  const common = {
    ...attributes(tree, stat),
    ino: hostInodeNumber(tree, path),
    mount: granted ? mountIndex.grant : directory.mount,
    parent: directory.id,
    name,
    lower: path,
    granted,
  };
  if (stat.kind === "directory")
    return tree.addInode({ kind: "directory", ...common, entries: new Map(), listing: undefined });
  if (stat.kind === "symlink") {
    const target = tree.options.host.readlink(path);
    return typeof target === "number" ? target : tree.addInode({ kind: "symlink", ...common, target });
  }
  if (stat.kind === "other") return tree.addInode({ kind: "other", ...common });
  const size = stat.size;
  const pages = tree.versions.table<never>();
  return tree.addInode({
    kind: "file",
    ...common,
    size,
    lowerSize: size,
    pages,
    reserved: [],
    holes: [],
    mappings: 0,
    grown: 0,
    linkable: false,
  });
}

/** A granted inode as the host has it now; others as they are. An inode whose host file vanished keeps its last looks. */
export function refresh(tree: Tree, id: InodeId): Inode {
  const inode = tree.inode(id);
  if (!inode.granted || inode.lower === undefined) return inode;
  const stat = tree.options.host.lstat(inode.lower);
  if (typeof stat === "number" || typeBits[stat.kind] !== (inode.mode & S.IFMT)) return inode;
  const fresh = Object.assign(tree.editInode(id), attributes(tree, stat));
  if (fresh.kind === "file") fresh.size = fresh.lowerSize = stat.size;
  return fresh;
}

/** The host has this inode no more: what gets its name next is something else. A directory knows no names then. */
export function leaveHost(inode: Inode): void {
  inode.granted = false;
  inode.lower = undefined;
  if (inode.kind === "directory") inode.entries = new Map();
  // Under another name the host still has the bytes.
  if (inode.kind === "file" && inode.nlink > 1) inode.grown = 0;
}
