/**
 * The surface the kernel codes against: one method per file call, in terms of numbers, byte strings and Uint8Arrays.
 * Arguments mean what the Linux call's do; `dirfd` may be AT.FDCWD. Results: types.ts.
 *
 * MAP_SHARED, from the memory manager's side: `mappable(fd)`, then `retain(inode)`; fill pages with `readPages`; answer
 * MappedPages while the mapping lives; on msync and munmap hand the pages back with `writePages`, then `release(inode)`.
 */
import type { FilesState } from "./state.ts";
import type { EpollEvent, InodeId, Mappable, Stat, StatFs, TimeChange, Transfer } from "./types.ts";
import type { FileContents } from "./values.ts";

export interface NameCalls {
  mkdir(dirfd: number, path: string, mode: number): number;
  /** Regular files only: no type or S_IFREG. FIFOs, sockets and devices: EPERM. */
  mknod(dirfd: number, path: string, mode: number): number;
  symlink(target: string, dirfd: number, path: string): number;
  link(fromDirfd: number, from: string, toDirfd: number, to: string, atFlags: number): number;
  /** With AT.REMOVEDIR it is rmdir. */
  unlink(dirfd: number, path: string, atFlags: number): number;
  rename(fromDirfd: number, from: string, toDirfd: number, to: string, flags: number): number;
  readlink(dirfd: number, path: string): string | number;
  chdir(path: string): number;
  fchdir(fd: number): number;
  getcwd(): string | number;
  /** Sets the mask, returns the old one. */
  umask(mask: number): number;
}

export interface AttributeCalls {
  /** AT.SYMLINK_NOFOLLOW and AT.EMPTY_PATH are honoured. */
  stat(dirfd: number, path: string, atFlags: number): Stat | number;
  fstat(fd: number): Stat | number;
  access(dirfd: number, path: string, mask: number, atFlags: number): number;
  chmod(dirfd: number, path: string, mode: number, atFlags: number): number;
  fchmod(fd: number, mode: number): number;
  /** -1 leaves an id as it is. */
  chown(dirfd: number, path: string, uid: number, gid: number, atFlags: number): number;
  fchown(fd: number, uid: number, gid: number): number;
  /** Without a path it is futimens on `dirfd`. */
  utimens(dirfd: number, path: string | undefined, accessed: TimeChange, modified: TimeChange, atFlags: number): number;
  truncate(path: string, size: number): number;
  statfs(path: string): StatFs | number;
  fstatfs(fd: number): StatFs | number;
}

export interface TransferCalls {
  /** With an offset it is pread and leaves the position alone. */
  read(fd: number, into: Uint8Array, offset?: number): Transfer;
  write(fd: number, bytes: Uint8Array, offset?: number): Transfer;
  lseek(fd: number, offset: number, whence: number): number;
  ftruncate(fd: number, size: number): number;
  fallocate(fd: number, mode: number, offset: number, length: number): number;
  fsync(fd: number): number;
  /** linux_dirent64 records, at most `capacity` bytes; empty at the end. */
  getdents(fd: number, capacity: number): Uint8Array | number;
  flock(fd: number, operation: number): number;
}

export interface DescriptorCalls {
  /** A descriptor, or a negative error number. */
  open(dirfd: number, path: string, flags: number, mode: number): number;
  close(fd: number): number;
  dup(fd: number): number;
  /** With equal numbers it returns `to`; dup3 with equal numbers is the kernel's EINVAL. */
  dup2(from: number, to: number, cloexec: boolean): number;
  /** All commands but the lock structures: F.GETLK and its kin validate the descriptor and return 0 (nothing is ever locked by others). */
  fcntl(fd: number, command: number, argument: number): number;
  closeRange(first: number, last: number, onlyCloexec: boolean): number;
  pipe(flags: number): { readonly read: number; readonly write: number } | number;
  eventfd(initial: number, flags: number): number;
  memfd(name: string, flags: number): number;
  /** FIONREAD: bytes that can be read at once. */
  available(fd: number): number;
  /** 1 for a terminal, else 0, or a negative error number. */
  isTerminal(fd: number): number;
}

export interface ReadinessCalls {
  /** POLL bits that hold now; POLL.NVAL for a descriptor that is not open. */
  readiness(fd: number): number;
  epollCreate(flags: number): number;
  epollControl(epfd: number, operation: number, fd: number, event: EpollEvent): number;
  /** Takes at most `max` ready events; an empty list means block and ask again once `changeCount()` moved. */
  epollTake(epfd: number, max: number): readonly EpollEvent[] | number;
  /** Moves whenever a pipe, eventfd or descriptor changed in a way that may end somebody's wait. */
  changeCount(): number;
}

export interface MappingCalls {
  /** EACCES, ENODEV or EBADF for what cannot be mapped at all. */
  mappable(fd: number): Mappable | number;
  /** A shared mapping of the file begins: MappedPages is asked about it until the matching release. */
  retain(inode: InodeId): void;
  release(inode: InodeId): void;
  /** Contents as the file has them (not as guest memory has them), zero beyond the end. 0 or a negative error number. */
  readPages(inode: InodeId, offset: number, into: Uint8Array): number;
  /** The file's own bytes on a page; undefined: they are zeros, or the host's to be read. */
  ownPage(inode: InodeId, page: number): Uint8Array | undefined;
  /** Whether the file itself has nothing but zeros on these pages, and none of them is the host's. */
  isHole(inode: InodeId, firstPage: number, endPage: number): boolean;
  /** Hands mapped bytes back to the file; what lies beyond the end is dropped. 0 or a negative error number. */
  writePages(inode: InodeId, offset: number, bytes: Uint8Array): number;
  sizeOf(inode: InodeId): number;
  /** While all of these stay the same, so do the file's own contents. */
  contentsIdentity(inode: InodeId): readonly unknown[];
  /** A path that names the file, with " (deleted)" when none is left; for /proc/self/maps. */
  pathOf(inode: InodeId): string;
  statOf(inode: InodeId): Stat;
  /** Whether a name, a descriptor or a mapping leads to it. */
  isAlive(inode: InodeId): boolean;
}

export interface MachineCalls {
  /** A whole file for the loader; the guest's descriptors do not matter. */
  readFile(path: string): Uint8Array | number;
  /** Replaces a whole file, made when missing, as the guest's user (tests, crash states). */
  writeFile(path: string, bytes: Uint8Array): number;
  /** A file's own contents as a value, good for ever and in every tree of the same host; mappings are not looked at. */
  contentsOf(inode: InodeId): FileContents;
  /** Reads such a value; zeros beyond what it holds. */
  readValue(contents: FileContents, offset: number, into: Uint8Array): void;
  /** Makes such a value a file's contents; the file is made when missing. 0 or a negative error number. */
  adopt(path: string, contents: FileContents): number;
  /** The file at a path, links followed; for crash states and hooks. */
  lookup(path: string): InodeId | number;
  /** What is at a path: of a link, the link. */
  find(path: string): InodeId | number;
  /** Paths in memory that differ from the host's tree, in byte order; a removed name ends in " (removed)". */
  changedPaths(): readonly string[];
  /** Bytes and files kept in memory, and bytes written to stdout and stderr. */
  usage(): { readonly bytes: number; readonly files: number; readonly output: number };
  /** Costs nothing; what is changed afterwards is copied first. */
  snapshot(): FilesSnapshot;
  restore(snapshot: FilesSnapshot): void;
}

/** The whole state of the file tree and descriptors as plain data. Restorable any number of times, in any order. */
export type FilesSnapshot = Readonly<FilesState>;

export interface GuestFiles
  extends NameCalls,
    AttributeCalls,
    TransferCalls,
    DescriptorCalls,
    ReadinessCalls,
    MappingCalls,
    MachineCalls {}
