/**
 * What files that are computed need: generated files (contents taken at open), magic links that lead to an open file
 * whatever its path, and directories whose names are computed. Inodes name a row by its key, so the state stays plain data.
 */
import type { DirectoryInode } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

export interface GeneratedFile {
  /** `subject` is the thread or descriptor the file speaks of. */
  read(tree: Tree, subject: number): Uint8Array;
  /** The guest writes to it; without this the file is read-only. */
  write?(tree: Tree, subject: number, bytes: Uint8Array): number;
}

export interface Jump {
  readonly inode: InodeId;
  readonly description: number | undefined;
}

export interface MagicLink {
  /** Where following it leads, or a negative error number. */
  jump(tree: Tree, subject: number): Jump | number;
  /** What readlink says. */
  text(tree: Tree, subject: number): string;
}

export interface Listing {
  names(tree: Tree): readonly string[];
  /** The inode of one of the names, made on first look-up. */
  make(tree: Tree, directory: DirectoryInode, name: string): InodeId;
}

export interface GeneratedTables {
  readonly files: Readonly<Record<string, GeneratedFile>>;
  readonly links: Readonly<Record<string, MagicLink>>;
  readonly listings: Readonly<Record<string, Listing>>;
}
