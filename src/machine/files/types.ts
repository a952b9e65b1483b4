/**
 * What goes into and comes out of the guest's file tree. Always:
 * - A guest's mishap is a value: calls return a negative error number (`-errno.ENOENT`) in place of their result, so
 *   `typeof result === "number"` tells failure from an object or a string.
 * - Paths and names are byte strings: one character (0–255) per byte. Lengths and order are those of the bytes.
 * - Times are nanoseconds since 1970 as bigint; sizes and offsets are numbers below 2^44.
 */
import type { HostFiles, Id } from "../../base/index.ts";

/** Names a file whatever its path; stays good while a descriptor, a mapping or a name holds the file. */
export type InodeId = Id<"Inode">;

export const PAGE_SIZE = 4096;

export interface Stat {
  readonly dev: number;
  readonly ino: number;
  /** Type and permission bits, as in st_mode. */
  readonly mode: number;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
  readonly rdev: number;
  readonly size: number;
  readonly blockSize: number;
  /** Allocated 512-byte units. */
  readonly blocks: number;
  readonly accessed: bigint;
  readonly modified: bigint;
  readonly changed: bigint;
  readonly born: bigint;
  /** For statx: the mount's id, whether it is a mount's root, and whether the file system counts as DAX. */
  readonly mount: number;
  readonly mountRoot: boolean;
  readonly dax: boolean;
}

export interface StatFs {
  readonly type: number;
  readonly blockSize: number;
  readonly blocks: number;
  readonly freeBlocks: number;
  readonly files: number;
  readonly freeFiles: number;
  readonly id: number;
  readonly flags: number;
}

/** A new time for utimensat: a value, the clock's, or leave it. */
export type TimeChange = bigint | "now" | "omit";

/**
 * What a read or write came to: a count, a negative error number, or
 * - `"blocked"`: nothing to do yet and O_NONBLOCK is not set. Block the thread and call again once `changeCount()` moved.
 * - `"output-limit"`: the guest wrote more to stdout and stderr than its limit; the machine ends the run with a clear error.
 * A write that returns -EPIPE also owes the thread a SIGPIPE.
 */
export type Transfer = number | "blocked" | "output-limit";

/**
 * Guest memory's side of mappings. A page of a file comes into guest memory when a mapping of it is first used; while a
 * shared mapping has it there, guest memory holds the truth, and file calls go through here. Work follows such pages.
 */
export interface MappedPages {
  /** Lays what guest memory holds over bytes that were read of the file from `offset` on. */
  read(inode: InodeId, offset: number, into: Uint8Array): void;
  /** These bytes of the file are others now. */
  write(inode: InodeId, offset: number, bytes: Uint8Array): void;
  /** So are those in [from, to): zeros. */
  zero(inode: InodeId, from: number, to: number): void;
  /** The file has become shorter: what lies behind its end goes from every mapping. */
  cut(inode: InodeId, size: number): void;
  /** A call left these bytes in the file, or so many zeros, whether it is mapped or not. */
  told(inode: InodeId, offset: number, written: Uint8Array | number): void;
  /** The first page in [from, end) that guest memory holds and that is not only zeros, or was stored to. */
  nextStored(inode: InodeId, from: number, end: number): number | undefined;
}

/** What mmap may do with a descriptor. */
export type Mappable =
  | { readonly kind: "file"; readonly inode: InodeId; readonly readable: boolean; readonly writable: boolean }
  | { readonly kind: "zero"; readonly readable: boolean; readonly writable: boolean };

export interface EpollEvent {
  readonly events: number;
  readonly data: bigint;
}

/** Standard streams. Their position is part of the snapshotted state, so both sides are addressed by offset. */
export interface StreamPort {
  /** Bytes of standard input from `offset` on, at most `length`; empty means the input ended. May wait for the user. */
  readInput(offset: number, length: number): Uint8Array;
  /** Bytes the guest wrote to stdout (1) or stderr (2); `offset` counts what the stream already carried. */
  writeOutput(stream: 1 | 2, offset: number, bytes: Uint8Array): void;
  /** Which of fd 0, 1 and 2 are terminals. */
  readonly terminals: readonly [boolean, boolean, boolean];
}

export interface MemoryFacts {
  readonly virtualBytes: number;
  readonly peakVirtualBytes: number;
  readonly residentBytes: number;
  readonly textBytes: number;
  readonly dataBytes: number;
  readonly stackBytes: number;
}

export interface SignalFacts {
  readonly pending: bigint;
  readonly blocked: bigint;
  readonly ignored: bigint;
  readonly caught: bigint;
}

/** The process as /proc tells of it. Called when a guest opens the file; never from inside a snapshot. */
export interface ProcessFacts {
  readonly pid: number;
  readonly parent: number;
  /** The thread that makes the present call, and all living threads in order of creation. */
  currentThread(): number;
  threads(): readonly number[];
  threadName(thread: number): string;
  /** A write to /proc/self/task/<tid>/comm: how pthread_setname_np names another thread. */
  setThreadName(thread: number, name: string): void;
  threadState(thread: number): "R" | "S" | "Z";
  signals(thread: number): SignalFacts;
  /** The guest path of the program. */
  executable(): string;
  commandLine(): readonly string[];
  environment(): readonly string[];
  auxiliaryVector(): Uint8Array;
  /** The text of /proc/self/maps. */
  maps(): string;
  memory(): MemoryFacts;
  /** Rows of /proc/self/limits. */
  limits(): readonly LimitFact[];
  /** Nanoseconds of CPU time used, and since the machine started. */
  cpuTime(): bigint;
  uptime(): bigint;
  readonly kernelRelease: string;
  readonly kernelVersion: string;
  readonly hostname: string;
  readonly cpus: number;
  readonly cpuModel: string;
  readonly cpuFlags: readonly string[];
  readonly totalMemory: number;
  freeMemory(): number;
}

export interface LimitFact {
  readonly name: string;
  readonly soft: number | "unlimited";
  readonly hard: number | "unlimited";
  readonly unit: string;
}

/** Bounds on what a guest can make the host keep. */
export interface FileLimits {
  /** Bytes of file contents kept in memory; beyond: ENOSPC. */
  readonly bytes: number;
  /** Files, directories and links created in memory; beyond: ENOSPC. */
  readonly files: number;
  /** Highest descriptor number + 1; beyond: EMFILE. */
  readonly descriptors: number;
  /** Bytes a pipe holds before writers block. */
  readonly pipe: number;
  /** Bytes to stdout and stderr together; beyond: "output-limit". */
  readonly output: number;
}

export const defaultFileLimits: FileLimits = {
  bytes: 2 ** 30,
  files: 100_000,
  descriptors: 1024,
  pipe: 65_536,
  output: 2 ** 30,
};

/** Is told what the guest's calls use of names and of regular files' contents. */
export interface FileUses {
  looked(name: string): void;
  listed(): void;
  read(inode: InodeId, offset: number, length: number): void;
  /** Contents or size. */
  changed(inode: InodeId): void;
  /** It is about to be found by another name, or by none. */
  renamed(inode: InodeId): void;
}

export interface FilesOptions {
  readonly host: HostFiles;
  /** The host directory that is the guest's `/`. */
  readonly root: string;
  /** Guest paths of directories whose changes go through to the host (`--rw`). Restore does not undo them. */
  readonly grants: readonly string[];
  readonly workingDirectory: string;
  readonly uid: number;
  readonly gid: number;
  readonly umask: number;
  readonly limits: FileLimits;
  readonly streams: StreamPort;
  readonly mapped: MappedPages;
  readonly process: ProcessFacts;
  readonly uses?: FileUses;
  /** Told of bytes before they are copied; it may throw to end the run in the middle of a call. */
  worked?(bytes: number): void;
  /** One of the limits turned something down. */
  limitReached?(what: "bytes of files" | "files" | "descriptors", limit: number): void;
  /** The guest's clock, for times of what the guest changes. */
  now(): bigint;
  /** Bytes for /dev/urandom, /dev/random and boot_id; the machine draws them from its seeded, snapshotted generator. */
  random(into: Uint8Array): void;
}
