/** open(2): from flags and a path to a descriptor (build_open_flags and path_openat of the Linux kernel, with their order of errors). */
import { truncateFile } from "./attributes.ts";
import { emptyFile, makeAt } from "./create.ts";
import { freeDescriptor, install } from "./descriptors.ts";
import { mayCreate } from "./entries.ts";
import { errno } from "./errno.ts";
import { O, S } from "./flags.ts";
import { mountIndex } from "./mounts.ts";
import { owns, permits, READ, WRITE } from "./permissions.ts";
import { addPipeEnd } from "./pipes.ts";
import type { DescriptionTarget, Inode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";
import { type Place, type WalkMode, walk } from "./walk.ts";

const has = (flags: number, bit: number): boolean => (flags & bit) === bit;

/** The rights each access mode asks for; mode 3 asks for both and grants neither. */
const RIGHTS = [READ, WRITE, READ | WRITE, READ | WRITE] as const;
const rightsOf = (flags: number): number => RIGHTS[(flags & O.ACCMODE) as 0 | 1 | 2 | 3];

export function open(tree: Tree, dirfd: number, path: string, rawFlags: number, mode: number): number {
  const flags = has(rawFlags, O.PATH) ? rawFlags & (O.DIRECTORY | O.NOFOLLOW | O.PATH | O.CLOEXEC) : rawFlags;
  const makesTemporary = has(flags, O.TMPFILE_BIT);
  if (has(flags, O.CREAT | O.DIRECTORY)) return -errno.EINVAL;
  if (makesTemporary && (!has(flags, O.DIRECTORY) || (rightsOf(flags) & WRITE) === 0)) return -errno.EINVAL;
  if (path === "") return -errno.ENOENT;
  const free = freeDescriptor(tree, 0);
  if (free < 0) return free;
  const place = walk(tree, dirfd, path, walkModeOf(flags));
  if (typeof place === "number") return place;
  const description = makesTemporary ? openTemporary(tree, place, flags, mode) : openPlace(tree, place, flags, mode);
  return description < 0 ? description : install(tree, description, has(flags, O.CLOEXEC));
}

/** With O_CREAT a trailing slash fails before the last component is looked at. */
function walkModeOf(flags: number): WalkMode {
  const nofollow = has(flags, O.NOFOLLOW) || has(flags, O.CREAT | O.EXCL);
  if (has(flags, O.CREAT)) return nofollow ? "create-nofollow" : "create";
  return nofollow ? "nofollow" : "follow";
}

function openPlace(tree: Tree, place: Place, flags: number, mode: number): number {
  if (place.inode === 0) {
    if (!has(flags, O.CREAT)) return -errno.ENOENT;
    const made = makeAt(tree, place.directory, place.name, { kind: "file", mode: mode & 0o7777 });
    return made < 0 ? made : describe(tree, made as InodeId, flags, { kind: "file" });
  }
  const inode = tree.inode(place.inode);
  if (has(flags, O.CREAT | O.EXCL)) return -errno.EEXIST;
  if (has(flags, O.CREAT) && inode.kind === "directory") return -errno.EISDIR;
  if (has(flags, O.DIRECTORY) && inode.kind !== "directory") return -errno.ENOTDIR;
  if (has(flags, O.PATH)) return describe(tree, place.inode, flags, { kind: "path" });
  return openExisting(tree, inode, place.description, flags);
}

function openExisting(tree: Tree, inode: Inode, reopened: number | undefined, flags: number): number {
  if (inode.kind === "symlink" || inode.kind === "magic-link") return -errno.ELOOP;
  const rights = rightsOf(flags) | (has(flags, O.TRUNC) ? WRITE : 0);
  if (inode.kind === "directory" && (rights & WRITE) !== 0) return -errno.EISDIR;
  if (!permits(tree, inode, rights)) return -errno.EACCES;
  if (has(flags, O.NOATIME) && !owns(tree, inode)) return -errno.EPERM;
  if (inode.kind === "anonymous") return reopen(tree, reopened, flags);
  if (inode.kind === "file" && has(flags, O.TRUNC)) {
    const cut = truncateFile(tree, inode.id, 0);
    if (cut < 0) return cut;
  }
  const target = targetOf(tree, inode);
  return typeof target === "number" ? target : describe(tree, inode.id, flags, target);
}

function targetOf(tree: Tree, inode: Inode): DescriptionTarget | number {
  switch (inode.kind) {
    case "file":
      return { kind: "file" };
    case "directory":
      return { kind: "directory", listing: undefined };
    case "generated":
      return { kind: "text", bytes: tree.generated.files[inode.row]?.read(tree, inode.subject) ?? new Uint8Array() };
    case "device":
      return inode.device === "tty" ? terminal(tree) : { kind: "device", device: inode.device };
    default:
      return -errno.ENXIO;
  }
}

/** The controlling terminal is whichever standard stream is one. */
function terminal(tree: Tree): DescriptionTarget | number {
  const stream = tree.options.streams.terminals.indexOf(true);
  return stream < 0 ? -errno.ENXIO : { kind: "stream", stream: stream as 0 | 1 | 2 };
}

/** Opens again what a link of /proc/self/fd leads to: the same pipe or stream, a new description. */
function reopen(tree: Tree, descriptionId: number | undefined, flags: number): number {
  const description = descriptionId === undefined ? undefined : tree.description(descriptionId);
  if (description === undefined) return -errno.ENXIO;
  const { target } = description;
  if (target.kind === "stream") return describe(tree, description.inode, flags, target);
  if (target.kind !== "pipe-read" && target.kind !== "pipe-write") return -errno.ENXIO;
  const kind = (flags & O.ACCMODE) === O.RDONLY ? "pipe-read" : "pipe-write";
  addPipeEnd(tree, target.object, kind);
  return describe(tree, description.inode, flags, { kind, object: target.object });
}

/** Flags that only matter while opening. */
const TRANSIENT = O.CREAT | O.EXCL | O.NOCTTY | O.TRUNC | O.CLOEXEC;

export function describe(tree: Tree, inode: InodeId, flags: number, target: DescriptionTarget): number {
  const large = has(flags, O.PATH) ? 0 : O.LARGEFILE;
  return tree.addDescription({ flags: (flags & ~TRANSIENT) | large, offset: 0, inode, target });
}

function openTemporary(tree: Tree, place: Place, flags: number, mode: number): number {
  if (place.inode === 0) return -errno.ENOENT;
  const directory = tree.inode(place.inode);
  if (directory.kind !== "directory") return -errno.ENOTDIR;
  if (directory.granted) return -errno.EOPNOTSUPP;
  const refused = mayCreate(tree, directory.id);
  if (refused < 0) return refused;
  if (!tree.hasRoomForFile()) return -errno.ENOSPC;
  const id = addNameless(tree, directory.mount, mode & 0o7777 & ~tree.state.umask, "");
  const file = tree.editFile(id);
  file.parent = directory.id;
  file.name = `#${file.ino}`;
  file.linkable = !has(flags, O.EXCL);
  return describe(tree, id, flags, { kind: "file" });
}

/** A regular file without a name. */
function addNameless(tree: Tree, mount: number, bits: number, name: string): InodeId {
  const place = { parent: 0 as InodeId, name, mount, counted: true, gid: tree.options.gid, mode: S.IFREG | bits };
  return tree.addInode({ ...emptyFile(tree, place), nlink: 0 });
}

export function openMemory(tree: Tree, name: string, flags: number): number {
  if (name.length > 249) return -errno.EINVAL;
  if (!tree.hasRoomForFile()) return -errno.ENOSPC;
  const id = addNameless(tree, mountIndex.shm, 0o777, `memfd:${name}`);
  const description = describe(tree, id, O.RDWR, { kind: "file" });
  return install(tree, description, (flags & 1) !== 0);
}
