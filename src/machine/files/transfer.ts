/** Bytes through descriptors: read, write, seek and the calls that shape a file's contents, by kind of what is open. */
import { dropSetIds, truncateFile } from "./attributes.ts";
import { freshFile, MAX_FILE_SIZE, readContents, resize, writeContents } from "./contents.ts";
import { isNonblocking, isReadable, isWritable, usable } from "./descriptors.ts";
import { deviceOf } from "./devices.ts";
import { errno } from "./errno.ts";
import { punchHole, reserve, seekExtent } from "./extents.ts";
import { FALLOC, O, SEEK } from "./flags.ts";
import { pipeOf, readEventCounter, readPipe, writeEventCounter, writePipe } from "./pipes.ts";
import type { Description, DescriptionTarget } from "./state.ts";
import { readStream, writeStream } from "./streams.ts";
import type { Tree } from "./tree.ts";
import type { InodeId, Transfer } from "./types.ts";

type Kind = DescriptionTarget["kind"];
/** Kinds with a position that pread, pwrite and lseek may name. */
const seekable: readonly Kind[] = ["file", "directory", "text", "device"];

export function read(tree: Tree, fd: number, into: Uint8Array, offset?: number): Transfer {
  const description = usable(tree, fd);
  const wrong = checkOffset(description, offset);
  if (wrong < 0) return wrong;
  if (description === undefined || !isReadable(description)) return -errno.EBADF;
  const { target } = description;
  const nonblocking = isNonblocking(description);
  switch (target.kind) {
    case "directory":
      return -errno.EISDIR;
    case "pipe-read":
      return readPipe(tree, target.object, into, nonblocking);
    case "eventfd":
      return readEventCounter(tree, target.object, into, nonblocking);
    case "stream":
      return readStream(tree, into);
    case "device":
      return deviceOf(target.device).read(tree, into);
    case "file":
    case "text":
      return readPositioned(tree, description, into, offset);
    default:
      return -errno.EINVAL;
  }
}

function checkOffset(description: Description | undefined, offset: number | undefined): number {
  if (offset === undefined) return 0;
  if (offset < 0) return -errno.EINVAL;
  return description && !seekable.includes(description.target.kind) ? -errno.ESPIPE : 0;
}

function readPositioned(tree: Tree, description: Description, into: Uint8Array, offset: number | undefined): number {
  const at = offset ?? description.offset;
  const { target } = description;
  let count: number;
  if (target.kind === "text") {
    const part = target.bytes.subarray(at, at + into.length);
    into.set(part);
    count = part.length;
  } else count = readContents(tree, description.inode, at, into);
  if (count > 0 && offset === undefined) tree.editDescription(description.id).offset = at + count;
  return count;
}

export function write(tree: Tree, fd: number, bytes: Uint8Array, offset?: number): Transfer {
  const description = usable(tree, fd);
  const wrong = checkOffset(description, offset);
  if (wrong < 0) return wrong;
  if (description === undefined || !isWritable(description)) return -errno.EBADF;
  const { target } = description;
  const nonblocking = isNonblocking(description);
  switch (target.kind) {
    case "pipe-write":
      return writePipe(tree, target.object, bytes, nonblocking);
    case "eventfd":
      return writeEventCounter(tree, target.object, bytes, nonblocking);
    case "stream":
      return writeStream(tree, target.stream, bytes);
    case "device":
      return deviceOf(target.device).write(tree, bytes);
    case "text":
      return writeGenerated(tree, description, bytes);
    case "file":
      return writeFile(tree, description, bytes, offset);
    default:
      return -errno.EINVAL;
  }
}

function writeGenerated(tree: Tree, description: Description, bytes: Uint8Array): number {
  const inode = tree.inode(description.inode);
  if (inode.kind !== "generated") return -errno.EINVAL;
  return tree.generated.files[inode.row]?.write?.(tree, inode.subject, bytes) ?? -errno.EIO;
}

function writeFile(tree: Tree, description: Description, bytes: Uint8Array, offset: number | undefined): number {
  const appends = (description.flags & O.APPEND) !== 0;
  const at = appends ? freshFile(tree, description.inode).size : (offset ?? description.offset);
  const count = writeContents(tree, description.inode, at, bytes);
  if (count > 0) {
    dropSetIds(tree, description.inode);
    if (offset === undefined) tree.editDescription(description.id).offset = at + count;
  }
  return count;
}

export function lseek(tree: Tree, fd: number, offset: number, whence: number): number {
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  const { target, inode } = description;
  if (whence < SEEK.SET || whence > SEEK.HOLE) return -errno.EINVAL;
  if (target.kind === "device" || target.kind === "eventfd" || target.kind === "epoll") return 0;
  if (!seekable.includes(target.kind)) return -errno.ESPIPE;
  const to = seekTarget(tree, description, offset, whence);
  if (to < 0) return to;
  if (to > MAX_FILE_SIZE) return -errno.EINVAL;
  const edited = tree.editDescription(description.id);
  edited.offset = to;
  if (edited.target.kind === "directory" && to === 0) edited.target = { kind: "directory", listing: undefined };
  return tree.hasInode(inode) ? to : -errno.EBADF;
}

function seekTarget(tree: Tree, description: Description, offset: number, whence: number): number {
  const { target } = description;
  const isFile = target.kind === "file";
  const size = () =>
    isFile ? freshFile(tree, description.inode).size : target.kind === "text" ? target.bytes.length : 0;
  const checked = (to: number) => (to < 0 ? -errno.EINVAL : to);
  if (whence === SEEK.SET) return checked(offset);
  if (whence === SEEK.CUR) return checked(description.offset + offset);
  if (whence === SEEK.END) return checked(size() + offset);
  if (isFile && whence === SEEK.DATA) return seekExtent(tree, description.inode, offset, "data");
  if (isFile && whence === SEEK.HOLE) return seekExtent(tree, description.inode, offset, "hole");
  return -errno.EINVAL;
}

export function ftruncate(tree: Tree, fd: number, size: number): number {
  if (size < 0) return -errno.EINVAL;
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  if (description.target.kind !== "file" || !isWritable(description)) return -errno.EINVAL;
  return truncateFile(tree, description.inode, size);
}

const SHAPES = FALLOC.KEEP_SIZE | FALLOC.PUNCH_HOLE | FALLOC.ZERO_RANGE;

/** vfs_fallocate with ext4's ways; collapsing and inserting ranges is not offered. */
export function fallocate(tree: Tree, fd: number, mode: number, offset: number, length: number): number {
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  if (offset < 0 || length <= 0) return -errno.EINVAL;
  const keeps = (mode & FALLOC.KEEP_SIZE) !== 0;
  const punches = (mode & FALLOC.PUNCH_HOLE) !== 0;
  const zeroes = (mode & FALLOC.ZERO_RANGE) !== 0;
  if ((mode & ~SHAPES) !== 0 || (punches && (zeroes || !keeps))) return -errno.EOPNOTSUPP;
  if (!isWritable(description)) return -errno.EBADF;
  const { target, inode } = description;
  if (target.kind === "pipe-write" || target.kind === "pipe-read") return -errno.ESPIPE;
  if (target.kind !== "file") return -errno.ENODEV;
  if (offset + length > MAX_FILE_SIZE) return -errno.EFBIG;
  const before = freshFile(tree, inode);
  if (before.granted) return fallocateOnHost(tree, description, mode, offset, length);
  dropSetIds(tree, inode);
  if (punches || zeroes) {
    const punched = punchHole(tree, inode, offset, length);
    if (punched < 0 || punches) return punched;
  }
  const reserved = reserve(tree, inode, offset, length);
  if (reserved < 0 || keeps || offset + length <= before.size) return reserved;
  return resize(tree, inode, offset + length);
}

/** Holes in the middle of a host's file are written as zeros; for more than this there is no such call (EOPNOTSUPP). */
const HOST_HOLE_MAX = 2 ** 30;
const CHUNK = 1 << 20;

/** What the host can be asked for is growing and cutting. */
function fallocateOnHost(tree: Tree, { inode }: Description, mode: number, offset: number, length: number): number {
  const { size } = freshFile(tree, inode);
  if ((mode & (FALLOC.PUNCH_HOLE | FALLOC.ZERO_RANGE)) !== 0 && offset < size) {
    const zeroed = zeroOnHost(tree, inode, offset, Math.min(offset + length, size), size);
    if (zeroed < 0) return zeroed;
  }
  const grows = (mode & FALLOC.KEEP_SIZE) === 0 && offset + length > size;
  return grows ? resize(tree, inode, offset + length) : 0;
}

function zeroOnHost(tree: Tree, inode: InodeId, from: number, to: number, size: number): number {
  if (to === size) {
    const cut = resize(tree, inode, from);
    return cut < 0 ? cut : resize(tree, inode, size);
  }
  if (to - from > HOST_HOLE_MAX) return -errno.EOPNOTSUPP;
  const zeros = new Uint8Array(Math.min(CHUNK, to - from));
  for (let at = from; at < to; at += CHUNK) {
    const written = writeContents(tree, inode, at, zeros.subarray(0, to - at));
    if (written < 0) return written;
  }
  return 0;
}

export function fsync(tree: Tree, fd: number): number {
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  const { kind } = description.target;
  return kind === "file" || kind === "directory" ? 0 : -errno.EINVAL;
}

/** FIONREAD. Of standard input nothing is sure to be there: only reading tells. */
export function available(tree: Tree, fd: number): number {
  const description = usable(tree, fd);
  if (description === undefined) return -errno.EBADF;
  const { target } = description;
  if (target.kind === "file") return Math.max(0, freshFile(tree, description.inode).size - description.offset);
  if (target.kind === "pipe-read" || target.kind === "pipe-write") return pipeOf(tree, target.object).size;
  return target.kind === "stream" ? 0 : -errno.ENOTTY;
}
