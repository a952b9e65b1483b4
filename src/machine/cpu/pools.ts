/**
 * Pools from outside of the guest, by their lasting names (process/pool-names.ts). Always: what a crash left of a pool that no
 * name leads to is dropped, as is what lies beyond a file's end, and no other file gets such a pool's name.
 */
import { type FileContents, type InodeId, S } from "../files/index.ts";
import type { Kernel } from "../kernel/index.ts";
import { joinedLines } from "./joined-lines.ts";
import type { LineContents } from "./machine-types.ts";

export function poolPath(kernel: Kernel, name: string): string | undefined {
  const pool = kernel.pool(name);
  if (pool === undefined) return undefined;
  const path = kernel.files.pathOf(pool);
  return kernel.files.find(path) === pool ? path : undefined;
}

/** A regular file's own contents. `inode` is as a call gave it. */
export function contentsOf({ files }: Kernel, inode: InodeId | number | undefined): FileContents | undefined {
  if (inode === undefined || inode < 0) return undefined;
  const isFile = (files.statOf(inode as InodeId).mode & S.IFMT) === S.IFREG;
  return isFile ? files.contentsOf(inode as InodeId) : undefined;
}

export function writeStored(kernel: Kernel, name: string, offset: number, bytes: Uint8Array): void {
  const pool = kernel.pool(name);
  if (pool === undefined) kernel.losePool(name);
  else kernel.files.writePages(pool, offset, bytes);
}

export function layLines(kernel: Kernel, lines: Iterable<LineContents>): void {
  for (const { path, offset, bytes } of joinedLines(lines)) {
    const pool = kernel.pool(path);
    if (pool === undefined) kernel.losePool(path);
    else kernel.layBytes(pool, offset, bytes);
  }
}
