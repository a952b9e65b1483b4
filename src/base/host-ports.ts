/**
 * All that a subject needs of the real world, as ports: src/host implements them, tests may give others. Always: nothing a
 * guest sees depends on the cache or on the clock.
 */
import type { HostFiles } from "./host-files.ts";

/** How long a witness that a report names is kept, unless newer ones take the room. */
export const daysOfWitnesses = 30;

/** What commands found out, kept for those that come after: an aid alone. Names are made by `name`. */
export interface CachePort {
  /** Whether anything is kept at all. */
  readonly keeps: boolean;
  name(about: string, kind: string): string;
  /** The file of this kind that was written last, about whatever. */
  newest(kind: string): string | undefined;
  read(name: string): Uint8Array | undefined;
  write(name: string, parts: readonly Uint8Array[]): void;
  remove(name: string): void;
}

/** Input that is kept from its beginning, so that every run reads the same. */
export interface InputPort {
  readInput(offset: number, length: number): Uint8Array;
  /** What was read so far is all there is from now on, and is given back. */
  end(): Uint8Array;
}

/** What another thread of this process needs to read a scratch file: descriptors are the process's. */
export interface SharedScratch {
  readonly fd: number;
  readonly size: number;
}

export interface ScratchPort {
  readonly shared: SharedScratch;
  readonly size: number;
  append(bytes: Uint8Array): void;
  read(offset: number, into: Uint8Array): void;
  close(): void;
}

/** The standard streams of a program that runs in front of the user. */
export interface ConsolePort {
  readonly terminals: readonly [boolean, boolean, boolean];
  readInput(offset: number, length: number): Uint8Array;
  writeOutput(stream: 1 | 2, offset: number, bytes: Uint8Array): void;
}

export interface HostPorts {
  /** Where this process was started. */
  readonly directory: string;
  readonly files: HostFiles;
  readonly cache: CachePort;
  console(): ConsolePort;
  standardInput(): InputPort;
  inputOf(bytes: Uint8Array): InputPort;
  openScratch(): ScratchPort;
  openSharedScratch(shared: SharedScratch): ScratchPort;
  /** A regular file's contents; undefined when there is none, or none that can be read. */
  readFile(path: string): Uint8Array | undefined;
  /** A path without symbolic links; undefined when there is no such file. */
  realPath(path: string): string | undefined;
  /** Tells whether a file is as it was: size, times and inode, as make and git do; "none" where there is none. */
  identityOf(path: string): string;
  /** The library that serves malloc from persistent memory; undefined where it was not built. */
  heapLibrary(): Uint8Array | undefined;
  /** Undoes zlib; throws when there is more than `size`. */
  inflate(bytes: Uint8Array, size: number): Uint8Array;
  milliseconds(): number;
  /** Asked every so often while a guest runs; throws `Stopped` when the command is to end. */
  alarm?(): void;
  /** Told after each run of a machine how many instructions it took; throws `BoundReached` when no more are allowed. */
  spent?(instructions: number): void;
  /** One line to the user. */
  notice(line: string): void;
  /** Called when the command has ended, however it did. */
  atEnd(work: () => void): void;
}
