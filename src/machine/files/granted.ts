/**
 * Files below granted directories: their bytes are the host's. Always: what the guest makes them longer by counts against
 * the limit on bytes, until it is cut off or its last name goes; holes count as well, as anything may be put there later.
 */
import { errno } from "./errno.ts";
import { refresh } from "./lower.ts";
import type { Tree } from "./tree.ts";
import type { InodeId } from "./types.ts";

/** The count is short when the limit on bytes is met. */
export function writeGranted(tree: Tree, id: InodeId, offset: number, bytes: Uint8Array): number {
  const { size, lower } = tree.file(id);
  const growth = offset + bytes.length - size;
  const cut = growth > 0 && !tree.hasRoomForBytes(growth) ? growth - tree.roomLeft : 0;
  if (cut >= bytes.length) return -errno.ENOSPC;
  const count = tree.options.host.write(lower as string, offset, bytes.subarray(0, bytes.length - cut));
  if (count < 0) return count;
  noteGrowth(tree, id, Math.max(0, offset + count - size));
  refresh(tree, id);
  return count;
}

/** A granted file is longer or shorter by so much; what the guest did not add it gets no credit for. */
export function noteGrowth(tree: Tree, id: InodeId, change: number): void {
  if (change === 0) return;
  const file = tree.editFile(id);
  const grown = Math.max(0, file.grown + change);
  tree.editState().grownBytes += grown - file.grown;
  file.grown = grown;
}
