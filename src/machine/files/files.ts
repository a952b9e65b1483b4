/** The whole surface put together: each call of api.ts bound to one tree. */
import type {
  AttributeCalls,
  DescriptorCalls,
  FilesSnapshot,
  GuestFiles,
  MachineCalls,
  MappingCalls,
  NameCalls,
  ReadinessCalls,
  TransferCalls,
} from "./api.ts";
import * as attributes from "./attributes.ts";
import { buildTree } from "./build.ts";
import { changedPaths } from "./changes.ts";
import { freshFile, readContents, readStored, resize, writeContents, writeStored } from "./contents.ts";
import { link, makeAt, mkdir, mknod, symlink } from "./create.ts";
import * as descriptors from "./descriptors.ts";
import { deviceOf } from "./devices.ts";
import { getdents } from "./directory.ts";
import { epollControl, epollCreate, epollTake, readiness } from "./epoll.ts";
import { errno } from "./errno.ts";
import { AT, EFD_SEMAPHORE, O } from "./flags.ts";
import { describePath, findPath } from "./lookup.ts";
import { open, openMemory } from "./open.ts";
import { EXECUTE, permits, READ } from "./permissions.ts";
import { makeEventCounter, makePipe } from "./pipes.ts";
import { rename, unlink } from "./remove.ts";
import { statFsOf, statInode } from "./stat.ts";
import { isTerminalStream } from "./streams.ts";
import * as transfer from "./transfer.ts";
import type { Tree } from "./tree.ts";
import { type FilesOptions, type InodeId, PAGE_SIZE } from "./types.ts";
import { adopt, contentsOf, readValue } from "./values.ts";
import { get, nextKey } from "./versions.ts";
import { locate, walk } from "./walk.ts";

/** A guest's file tree with the three standard descriptors open. Throws InputError when the root, a grant or the working directory is not a directory. */
export function createFiles(options: FilesOptions): GuestFiles {
  const tree = buildTree(options);
  return {
    ...nameCalls(tree),
    ...attributeCalls(tree),
    ...transferCalls(tree),
    ...descriptorCalls(tree),
    ...readinessCalls(tree),
    ...mappingCalls(tree),
    ...machineCalls(tree),
  };
}

/** Drops the tree from a function's arguments. */
const bind =
  <Args extends unknown[], Result>(tree: Tree, call: (tree: Tree, ...args: Args) => Result) =>
  (...args: Args): Result =>
    call(tree, ...args);

const nameCalls = (tree: Tree): NameCalls => ({
  mkdir: bind(tree, mkdir),
  mknod: bind(tree, mknod),
  symlink: bind(tree, symlink),
  link: bind(tree, link),
  unlink: bind(tree, unlink),
  rename: bind(tree, rename),
  readlink: bind(tree, readlink),
  chdir: (path) => {
    const id = locate(tree, AT.FDCWD, path, 0);
    return id < 0 ? id : changeDirectory(tree, id as InodeId);
  },
  fchdir: (fd) => {
    const description = descriptors.descriptionOf(tree, fd);
    return description === undefined ? -errno.EBADF : changeDirectory(tree, description.inode);
  },
  getcwd: () => findPath(tree, tree.state.workingDirectory) ?? -errno.ENOENT,
  umask: (mask) => {
    const old = tree.state.umask;
    tree.editState().umask = mask & 0o777;
    return old;
  },
});

function readlink(tree: Tree, dirfd: number, path: string): string | number {
  const id = locate(tree, dirfd, path, AT.SYMLINK_NOFOLLOW | AT.EMPTY_PATH);
  if (id < 0) return id;
  const inode = tree.inode(id as InodeId);
  if (inode.kind === "symlink") return inode.target;
  if (inode.kind !== "magic-link") return path === "" ? -errno.ENOENT : -errno.EINVAL;
  return tree.generated.links[inode.row]?.text(tree, inode.subject) ?? -errno.ENOENT;
}

function changeDirectory(tree: Tree, id: InodeId): number {
  const inode = tree.inode(id);
  if (inode.kind !== "directory") return -errno.ENOTDIR;
  if (!permits(tree, inode, EXECUTE)) return -errno.EACCES;
  tree.hold(id);
  const old = tree.state.workingDirectory;
  tree.editState().workingDirectory = id;
  tree.drop(old);
  return 0;
}

/** Runs a call on the inode of an open descriptor. */
function onDescriptor<Result>(
  tree: Tree,
  fd: number,
  call: (inode: InodeId) => Result,
  allowPath: boolean,
): Result | number {
  const description = allowPath ? descriptors.descriptionOf(tree, fd) : descriptors.usable(tree, fd);
  return description === undefined ? -errno.EBADF : call(description.inode);
}

const attributeCalls = (tree: Tree): AttributeCalls => ({
  stat: (dirfd, path, atFlags) => {
    const id = locate(tree, dirfd, path, atFlags);
    return id < 0 ? id : statInode(tree, id as InodeId);
  },
  fstat: (fd) => onDescriptor(tree, fd, (id) => statInode(tree, id), true),
  access: bind(tree, attributes.access),
  chmod: bind(tree, attributes.chmod),
  fchmod: (fd, mode) => onDescriptor(tree, fd, (id) => attributes.chmodInode(tree, id, mode), false),
  chown: bind(tree, attributes.chown),
  fchown: (fd, uid, gid) => onDescriptor(tree, fd, (id) => attributes.chownInode(tree, id, uid, gid), false),
  utimens: bind(tree, attributes.utimens),
  truncate: bind(tree, attributes.truncate),
  statfs: (path) => {
    const id = locate(tree, AT.FDCWD, path, 0);
    return id < 0 ? id : statFsOf(tree, id as InodeId);
  },
  fstatfs: (fd) => onDescriptor(tree, fd, (id) => statFsOf(tree, id), true),
});

const transferCalls = (tree: Tree): TransferCalls => ({
  read: bind(tree, transfer.read),
  write: bind(tree, transfer.write),
  lseek: bind(tree, transfer.lseek),
  ftruncate: bind(tree, transfer.ftruncate),
  fallocate: bind(tree, transfer.fallocate),
  fsync: bind(tree, transfer.fsync),
  getdents: bind(tree, getdents),
  flock: bind(tree, descriptors.flock),
});

const descriptorCalls = (tree: Tree): DescriptorCalls => ({
  open: bind(tree, open),
  close: bind(tree, descriptors.close),
  dup: (fd) => descriptors.duplicate(tree, fd, 0, false),
  dup2: bind(tree, descriptors.dup2),
  fcntl: bind(tree, descriptors.fcntl),
  closeRange: bind(tree, descriptors.closeRange),
  pipe: bind(tree, openPipe),
  eventfd: bind(tree, openEventCounter),
  memfd: bind(tree, openMemory),
  available: bind(tree, transfer.available),
  isTerminal: (fd) => {
    const description = descriptors.usable(tree, fd);
    if (description === undefined) return -errno.EBADF;
    const { target } = description;
    return target.kind === "stream" && isTerminalStream(tree, target.stream) ? 1 : 0;
  },
});

function openPipe(tree: Tree, flags: number): { read: number; write: number } | number {
  if ((flags & ~(O.CLOEXEC | O.NONBLOCK | O.DIRECT)) !== 0) return -errno.EINVAL;
  const first = descriptors.freeDescriptor(tree, 0);
  const second = first < 0 ? first : descriptors.freeDescriptor(tree, first + 1);
  if (second < 0) return second;
  const cloexec = (flags & O.CLOEXEC) !== 0;
  const ends = makePipe(tree, flags & ~O.CLOEXEC);
  return {
    read: descriptors.install(tree, ends.read, cloexec),
    write: descriptors.install(tree, ends.write, cloexec),
  };
}

function openEventCounter(tree: Tree, initial: number, flags: number): number {
  if ((flags & ~(O.CLOEXEC | O.NONBLOCK | EFD_SEMAPHORE)) !== 0) return -errno.EINVAL;
  const free = descriptors.freeDescriptor(tree, 0);
  if (free < 0) return free;
  const description = makeEventCounter(tree, initial, (flags & EFD_SEMAPHORE) !== 0, flags & O.NONBLOCK);
  return descriptors.install(tree, description, (flags & O.CLOEXEC) !== 0);
}

const readinessCalls = (tree: Tree): ReadinessCalls => ({
  readiness: bind(tree, readiness),
  epollCreate: bind(tree, epollCreate),
  epollControl: bind(tree, epollControl),
  epollTake: bind(tree, epollTake),
  changeCount: () => tree.state.changeCount,
});

const mappingCalls = (tree: Tree): MappingCalls => ({
  mappable: (fd) => {
    const description = descriptors.usable(tree, fd);
    if (description === undefined) return -errno.EBADF;
    const rights = { readable: descriptors.isReadable(description), writable: descriptors.isWritable(description) };
    const { target, inode } = description;
    if (target.kind === "file") return { kind: "file", inode, ...rights };
    const isZero = target.kind === "device" && deviceOf(target.device).mapping === "zero";
    return isZero ? { kind: "zero", ...rights } : -errno.ENODEV;
  },
  retain: (inode) => {
    tree.hold(inode);
    tree.editFile(inode).mappings++;
  },
  release: (inode) => {
    tree.editFile(inode).mappings--;
    tree.drop(inode);
  },
  readPages: (inode, offset, into) => readStored(tree.options.host, freshFile(tree, inode), offset, into),
  ownPage: (inode, page) => get(tree.file(inode).pages, page)?.bytes,
  isHole: (inode, firstPage, endPage) => {
    const { pages, lowerSize } = freshFile(tree, inode);
    return lowerSize <= firstPage * PAGE_SIZE && (nextKey(pages, firstPage) ?? endPage) >= endPage;
  },
  writePages: (inode, offset, bytes) => {
    const room = Math.max(0, freshFile(tree, inode).size - offset);
    const written = writeStored(tree, inode, offset, bytes.subarray(0, room));
    return Math.min(written, 0);
  },
  sizeOf: (inode) => freshFile(tree, inode).size,
  contentsIdentity: (inode) => {
    const { pages, size, lower, lowerSize, holes, reserved } = freshFile(tree, inode);
    return [pages, size, lower, lowerSize, holes, reserved];
  },
  pathOf: (inode) => describePath(tree, inode),
  statOf: (inode) => statInode(tree, inode),
  isAlive: (inode) => tree.hasInode(inode),
});

/** The regular file at a path, made when missing. */
function fileAt(tree: Tree, path: string): number {
  const place = walk(tree, AT.FDCWD, path, "follow");
  if (typeof place === "number") return place;
  const id = place.inode || makeAt(tree, place.directory, place.name, { kind: "file", mode: 0o666 });
  if (id < 0) return id;
  return tree.inode(id as InodeId).kind === "file" ? id : -errno.EISDIR;
}

/** The largest file that is read whole. */
const WHOLE_MAX = 2 ** 31 - 1;

const machineCalls = (tree: Tree): MachineCalls => ({
  readFile: (path) => {
    const id = locate(tree, AT.FDCWD, path, 0);
    if (id < 0) return id;
    const inode = tree.inode(id as InodeId);
    if (inode.kind !== "file") return inode.kind === "directory" ? -errno.EISDIR : -errno.EINVAL;
    if (!permits(tree, inode, READ)) return -errno.EACCES;
    const { size } = freshFile(tree, inode.id);
    if (size > WHOLE_MAX) return -errno.EFBIG;
    const bytes = new Uint8Array(size);
    const count = readContents(tree, inode.id, 0, bytes);
    return count < 0 ? count : bytes.subarray(0, count);
  },
  writeFile: (path, bytes) => {
    const id = fileAt(tree, path);
    const cut = id < 0 ? id : resize(tree, id as InodeId, 0);
    const count = cut < 0 ? cut : writeContents(tree, id as InodeId, 0, bytes);
    return count < 0 ? count : count < bytes.length ? -errno.ENOSPC : 0;
  },
  contentsOf: bind(tree, contentsOf),
  readValue: (contents, offset, into) => readValue(tree.options.host, contents, offset, into),
  adopt: (path, contents) => {
    const id = fileAt(tree, path);
    if (id >= 0) adopt(tree, id as InodeId, contents);
    return Math.min(0, id);
  },
  lookup: (path) => locate(tree, AT.FDCWD, path, 0),
  find: (path) => locate(tree, AT.FDCWD, path, AT.SYMLINK_NOFOLLOW),
  changedPaths: () => changedPaths(tree),
  usage: () => {
    const { pageCount, fileCount, streamOffsets } = tree.state;
    return { bytes: pageCount * PAGE_SIZE, files: fileCount, output: streamOffsets[1] + streamOffsets[2] };
  },
  snapshot: () => tree.snapshot(),
  restore: (snapshot: FilesSnapshot) => tree.restore(snapshot),
});
