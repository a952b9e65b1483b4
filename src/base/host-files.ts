/**
 * The port through which the machine sees the host's file tree. Declared here because the machine (src/machine/files) needs
 * it and src/host implements it, and neither may import the other. Always:
 * - Every path is absolute and a byte string: one character (0–255) per byte of the name, so nothing is lost to UTF-8.
 * - Failures are values: a negative Linux error number, whatever the host's own numbering.
 * - The looking half never changes the host. The changing half is called only below directories the user granted.
 */
export type HostKind = "file" | "directory" | "symlink" | "other";

export interface HostStat {
  readonly kind: HostKind;
  /** Permission bits with set-id and sticky bits; the type is `kind`. */
  readonly mode: number;
  readonly size: number;
  /** Nanoseconds since 1970. */
  readonly modified: bigint;
  readonly ino: bigint;
  readonly dev: bigint;
  readonly nlink: number;
  readonly uid: number;
  readonly gid: number;
}

export interface HostEntry {
  readonly name: string;
  readonly kind: HostKind;
}

/** The read-only half. No call follows a symbolic link in the last component. */
export interface HostLook {
  /** Who runs this process: files of theirs belong to the guest's user inside. */
  readonly uid: number;
  readonly gid: number;
  /**
   * Holds a directory: from now on nothing below its path is reached through a symbolic link, in no component, whoever
   * changes names there. 0 or a negative error number.
   */
  hold(path: string): number;
  lstat(path: string): HostStat | number;
  readlink(path: string): string | number;
  /** In no particular order, without `.` and `..`. */
  readdir(path: string): readonly HostEntry[] | number;
  /** Fills `into` from `offset` of a regular file; the count is short only at the end of the file. */
  read(path: string, offset: number, into: Uint8Array): number;
  /**
   * Keeps a regular file that is about to lose its name: what `read` takes for it from now on, as long as this process
   * lives; a negative error number when there are too many such files.
   */
  keep(path: string): string | number;
  /** Whether the host lets this process read (4) or search/execute (1) the path. */
  permits(path: string, mask: number): boolean;
}

/** The changing half, for granted directories. Each returns 0 (`write`: the count) or a negative error number. */
export interface HostChange {
  write(path: string, offset: number, bytes: Uint8Array): number;
  truncate(path: string, size: number): number;
  /** A new empty regular file; fails when the name exists. */
  create(path: string, mode: number): number;
  mkdir(path: string, mode: number): number;
  symlink(target: string, path: string): number;
  link(existing: string, path: string): number;
  unlink(path: string): number;
  rmdir(path: string): number;
  rename(from: string, to: string): number;
  chmod(path: string, mode: number): number;
  /** Nanoseconds since 1970. */
  setTimes(path: string, accessed: bigint, modified: bigint): number;
}

export interface HostFiles extends HostLook, HostChange {}
