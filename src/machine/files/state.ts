/**
 * The snapshotted state of the file tree and the descriptors. Always:
 * - Plain data all the way down: numbers, strings, bigints, arrays, Maps and Uint8Arrays; no closures, no host handles.
 * - Every record carries the epoch it was last owned in (versions.ts); change one only through the Tree's `edit` calls.
 */
import type { InodeId } from "./types.ts";
import type { Table, Versioned } from "./versions.ts";

/** A page of file contents. */
export interface Page extends Versioned {
  readonly bytes: Uint8Array;
}

export type PageRange = readonly [from: number, to: number];

interface InodeCommon extends Versioned {
  readonly id: InodeId;
  /** st_ino: hashed from the path for what the host has, counted for what the guest made. */
  ino: number;
  /** Type and permission bits. */
  mode: number;
  nlink: number;
  uid: number;
  gid: number;
  /** Index into the table of mounts. */
  mount: number;
  accessed: bigint;
  modified: bigint;
  changed: bigint;
  born: bigint;
  /** Descriptions, mappings and working directories that keep the inode alive without a name. */
  holders: number;
  /** Counted against the limit on files. */
  counted: boolean;
  /** The guest changed the permission bits, so the host's own verdict no longer counts. */
  rechmoded: boolean;
  /** The directory and the name it was last reached by; stale once that name is gone. */
  parent: InodeId;
  name: string;
  /** The host path it was found at. */
  lower: string | undefined;
  /** Changes go through to the host. */
  granted: boolean;
}

export interface FileInode extends InodeCommon {
  readonly kind: "file";
  size: number;
  /** Bytes at the start that still show the host's file where no page covers them. */
  lowerSize: number;
  /** Page ranges [from, to) of the host's contents that were punched out; sorted, apart from each other. */
  holes: readonly PageRange[];
  pages: Table<Page>;
  /** Page ranges [from, to) that fallocate promised: sorted, apart from each other; they count as allocated. */
  reserved: readonly PageRange[];
  /** Mappings alive: file calls must ask MappedPages. */
  mappings: number;
  /** Bytes by which the guest made a granted file longer. */
  grown: number;
  /** Made by O_TMPFILE without O_EXCL: may still get a name. */
  linkable: boolean;
}

export interface DirectoryInode extends InodeCommon {
  readonly kind: "directory";
  /** Names met or changed so far; 0 hides a name of the host. Names not listed are the host's to answer, if `lower`. */
  entries: Map<string, InodeId>;
  /** Row of the table of computed listings (/proc/self/fd …), or undefined for an ordinary directory. */
  listing: string | undefined;
}

export interface SymlinkInode extends InodeCommon {
  readonly kind: "symlink";
  target: string;
}

export interface DeviceInode extends InodeCommon {
  readonly kind: "device";
  /** Row of the table of devices. */
  readonly device: string;
}

/** A file or link whose contents are computed when it is opened: a row of the generated table and what it is about. */
export interface GeneratedInode extends InodeCommon {
  readonly kind: "generated" | "magic-link";
  readonly row: string;
  /** The thread or descriptor the row speaks of. */
  readonly subject: number;
}

/** What an fd without a path refers to: pipes, eventfds, epolls and streams have these for fstat. */
export interface AnonymousInode extends InodeCommon {
  readonly kind: "anonymous";
}

/** A FIFO, socket or device node of the host: it can be seen but not opened. */
export interface OtherInode extends InodeCommon {
  readonly kind: "other";
}

export type Inode =
  | FileInode
  | DirectoryInode
  | SymlinkInode
  | DeviceInode
  | GeneratedInode
  | AnonymousInode
  | OtherInode;

export interface DirectoryEntry {
  readonly name: string;
  readonly ino: number;
  /** d_type. */
  readonly type: number;
}

export type DescriptionTarget =
  | { kind: "file" }
  /** The listing is taken when reading begins and again after a rewind. */
  | { kind: "directory"; listing: readonly DirectoryEntry[] | undefined }
  | { kind: "path" }
  | { kind: "text"; bytes: Uint8Array }
  | { kind: "device"; device: string }
  | { kind: "stream"; stream: 0 | 1 | 2 }
  | { kind: "pipe-read" | "pipe-write" | "eventfd" | "epoll"; object: number };

/** An open file description: what dup'ed descriptors share. */
export interface Description extends Versioned {
  readonly id: number;
  /** Descriptors that refer to it. */
  refs: number;
  /** Access mode and status flags, as F_GETFL tells them. */
  flags: number;
  offset: number;
  readonly inode: InodeId;
  target: DescriptionTarget;
}

export interface Descriptor extends Versioned {
  description: number;
  cloexec: boolean;
}

/** How often something came in that a reader waits for, and went out that a writer waits for: edge-triggered epoll compares them. */
export interface Activity {
  readonly incoming: number;
  readonly outgoing: number;
}

export interface Pipe extends Versioned {
  readonly kind: "pipe";
  /** Written and not yet read, oldest first; each chunk at most a page, never changed in place. */
  chunks: readonly Uint8Array[];
  size: number;
  capacity: number;
  readers: number;
  writers: number;
  activity: Activity;
}

export interface EventCounter extends Versioned {
  readonly kind: "eventfd";
  count: bigint;
  readonly semaphore: boolean;
  activity: Activity;
}

export interface Interest {
  readonly fd: number;
  readonly description: number;
  readonly events: number;
  readonly data: bigint;
  /** ONESHOT has fired. */
  readonly disabled: boolean;
  /** Edge-triggered: the readiness bits and the activity last reported. */
  readonly reported: number;
  readonly activity: number;
}

export interface Epoll extends Versioned {
  readonly kind: "epoll";
  /** In order of registration; keyed by descriptor and description as Linux does. */
  interests: readonly Interest[];
}

export type KernelObject = Pipe | EventCounter | Epoll;

export interface FilesState extends Versioned {
  inodes: Table<Inode>;
  nextInode: number;
  nextNumber: number;
  descriptions: Table<Description>;
  nextDescription: number;
  descriptors: Table<Descriptor>;
  objects: Table<KernelObject>;
  nextObject: number;
  /** Host files with several names, by device and inode number. */
  hostLinks: Map<string, InodeId>;
  root: InodeId;
  workingDirectory: InodeId;
  umask: number;
  /** Pages of contents in memory, files counted, bytes passed through fd 0, 1 and 2, and `changeCount`. */
  pageCount: number;
  /** Bytes by which granted files are longer than the guest found them. */
  grownBytes: number;
  fileCount: number;
  streamOffsets: readonly [number, number, number];
  changeCount: number;
}
