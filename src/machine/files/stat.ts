/** stat, statx and statfs: what a file looks like, and its bytes in the kernel's structures (include/uapi/asm/stat.h, linux/stat.h, asm/statfs.h). */
import { deviceOf } from "./devices.ts";
import { allocatedBlocks, DISK_BYTES } from "./extents.ts";
import { S } from "./flags.ts";
import { refresh } from "./lower.ts";
import { makeDevice, mountIndex, mountOf } from "./mounts.ts";
import type { Inode } from "./state.ts";
import type { Tree } from "./tree.ts";
import { type InodeId, PAGE_SIZE, type Stat, type StatFs } from "./types.ts";

const PTS_MAJOR = 136;

function sizeOf(inode: Inode): number {
  if (inode.kind === "file") return inode.size;
  if (inode.kind === "symlink") return inode.target.length;
  const isMade = inode.mount === mountIndex.proc || inode.mount === mountIndex.sys;
  return inode.kind === "directory" && !isMade ? PAGE_SIZE : 0;
}

function rdevOf(inode: Inode): number {
  if (inode.kind === "device") return deviceOf(inode.device).rdev;
  return inode.kind === "anonymous" && (inode.mode & S.IFMT) === S.IFCHR ? makeDevice(PTS_MAJOR, 0) : 0;
}

export function statInode(tree: Tree, id: InodeId): Stat {
  const inode = refresh(tree, id);
  const mount = mountOf(inode.mount);
  const isRoot = inode.kind === "directory" && (id === tree.state.root || isMountRoot(tree, inode));
  return {
    dev: mount.dev,
    ino: inode.ino,
    mode: inode.mode,
    nlink: inode.nlink === 0 && inode.kind === "anonymous" ? 1 : inode.nlink,
    uid: inode.uid,
    gid: inode.gid,
    rdev: rdevOf(inode),
    size: sizeOf(inode),
    blockSize: PAGE_SIZE,
    blocks: inode.kind === "file" ? allocatedBlocks(inode) : sizeOf(inode) === PAGE_SIZE ? 8 : 0,
    accessed: inode.accessed,
    modified: inode.modified,
    changed: inode.changed,
    born: inode.born,
    mount: inode.mount + 1,
    mountRoot: isRoot,
    dax: mount.options.includes("dax=always"),
  };
}

const isMountRoot = (tree: Tree, inode: Inode): boolean =>
  tree.hasInode(inode.parent) && tree.inode(inode.parent).mount !== inode.mount;

export function statFsOf(tree: Tree, id: InodeId): StatFs {
  const { mount } = tree.inode(id);
  const { magic, dev } = mountOf(mount);
  const { limits } = tree.options;
  const holds = mount !== mountIndex.proc && mount !== mountIndex.sys;
  const blocks = holds ? DISK_BYTES / PAGE_SIZE : 0;
  return {
    type: magic,
    blockSize: PAGE_SIZE,
    blocks,
    freeBlocks: Math.max(0, blocks - (holds ? tree.state.pageCount : 0)),
    files: holds ? limits.files : 0,
    freeFiles: holds ? limits.files - tree.state.fileCount : 0,
    id: dev,
    flags: 0x20,
  };
}

const NANO = 1_000_000_000n;
/** Whole seconds downwards and the rest, as timespec has them before 1970 too. */
export function splitTime(time: bigint): { readonly seconds: bigint; readonly nanoseconds: number } {
  const nanoseconds = ((time % NANO) + NANO) % NANO;
  return { seconds: (time - nanoseconds) / NANO, nanoseconds: Number(nanoseconds) };
}

/** struct stat, 144 bytes. */
export function encodeStat(stat: Stat): Uint8Array {
  const bytes = new Uint8Array(144);
  const view = new DataView(bytes.buffer);
  const word = (offset: number, value: number | bigint) =>
    view.setBigUint64(offset, BigInt.asUintN(64, BigInt(value)), true);
  word(0, stat.dev);
  word(8, stat.ino);
  word(16, stat.nlink);
  view.setUint32(24, stat.mode, true);
  view.setUint32(28, stat.uid, true);
  view.setUint32(32, stat.gid, true);
  word(40, stat.rdev);
  word(48, stat.size);
  word(56, stat.blockSize);
  word(64, stat.blocks);
  for (const [offset, time] of [
    [72, stat.accessed],
    [88, stat.modified],
    [104, stat.changed],
  ] as const) {
    const { seconds, nanoseconds } = splitTime(time);
    word(offset, seconds);
    word(offset + 8, nanoseconds);
  }
  return bytes;
}

const STATX_BASIC_AND_BIRTH = 0xfff;
const STATX_MNT_ID = 0x1000;
const ATTRIBUTE_MOUNT_ROOT = 0x2000;
const ATTRIBUTE_DAX = 0x20_0000;
const majorOf = (dev: number): number => (dev >> 8) & 0xfff;
const minorOf = (dev: number): number => (dev & 0xff) | ((dev >> 12) & 0xfff00);

/** struct statx, 256 bytes. */
export function encodeStatx(stat: Stat): Uint8Array {
  const bytes = new Uint8Array(256);
  const view = new DataView(bytes.buffer);
  const half = (offset: number, value: number) => view.setUint32(offset, value, true);
  const word = (offset: number, value: number | bigint) =>
    view.setBigUint64(offset, BigInt.asUintN(64, BigInt(value)), true);
  half(0, STATX_BASIC_AND_BIRTH | STATX_MNT_ID);
  half(4, stat.blockSize);
  word(8, (stat.mountRoot ? ATTRIBUTE_MOUNT_ROOT : 0) | (stat.dax ? ATTRIBUTE_DAX : 0));
  half(16, stat.nlink);
  half(20, stat.uid);
  half(24, stat.gid);
  view.setUint16(28, stat.mode, true);
  word(32, stat.ino);
  word(40, stat.size);
  word(48, stat.blocks);
  word(56, ATTRIBUTE_MOUNT_ROOT | ATTRIBUTE_DAX);
  for (const [offset, time] of [
    [64, stat.accessed],
    [80, stat.born],
    [96, stat.changed],
    [112, stat.modified],
  ] as const) {
    const { seconds, nanoseconds } = splitTime(time);
    word(offset, seconds);
    half(offset + 8, nanoseconds);
  }
  half(128, majorOf(stat.rdev));
  half(132, minorOf(stat.rdev));
  half(136, majorOf(stat.dev));
  half(140, minorOf(stat.dev));
  word(144, stat.mount);
  return bytes;
}

/** struct statfs, 120 bytes. */
export function encodeStatFs(stat: StatFs): Uint8Array {
  const view = new DataView(new ArrayBuffer(120));
  const NAME_MAX = 255;
  const words = [stat.type, stat.blockSize, stat.blocks, stat.freeBlocks, stat.freeBlocks, stat.files, stat.freeFiles];
  words.push(stat.id, NAME_MAX, stat.blockSize, stat.flags);
  for (const [i, word] of words.entries()) view.setBigUint64(i * 8, BigInt(word), true);
  return new Uint8Array(view.buffer);
}
