/**
 * Pools from outside of the guest, by their lasting names (process/pool-names.ts). Always: what a crash left of a pool that no
 * name leads to is dropped, as is what lies beyond a file's end, and no other file gets such a pool's name.
 */
import { InputError, printable } from "../../base/index.ts";
import { type FileContents, type InodeId, S, textFromPath } from "../files/index.ts";
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
  return isRegular({ files }, inode as InodeId) ? files.contentsOf(inode as InodeId) : undefined;
}

const isRegular = ({ files }: Pick<Kernel, "files">, inode: InodeId): boolean =>
  (files.statOf(inode).mode & S.IFMT) === S.IFREG;

/** The program made it a file; on the host somebody may have made another thing of that name since. */
function regular(kernel: Kernel, pool: InodeId, path: string): InodeId {
  if (isRegular(kernel, pool)) return pool;
  throw new InputError(
    "machine/changed-outside",
    `${printable(textFromPath(path))} became no regular file on the host while the crashes of the program that makes it were judged: give what writes there another place.`,
    { path },
  );
}

export function writeStored(kernel: Kernel, name: string, offset: number, bytes: Uint8Array): void {
  const pool = kernel.pool(name);
  if (pool === undefined) kernel.losePool(name);
  else kernel.files.writePages(regular(kernel, pool, name), offset, bytes);
}

export function layLines(kernel: Kernel, lines: Iterable<LineContents>): void {
  for (const { path, offset, bytes } of joinedLines(lines)) {
    const pool = kernel.pool(path);
    if (pool === undefined) kernel.losePool(path);
    else kernel.layBytes(regular(kernel, pool, path), offset, bytes);
  }
}
