/**
 * The bytes of regular files: pages in memory over the host's contents. Always:
 * - What lies beyond the file's size reads as zeros when the file grows again.
 * - A page that guest memory holds for a shared mapping is read from there and written to both, so neither view goes stale.
 * - A granted file keeps no pages: it is read from and written to the host.
 * - Work follows the bytes asked for and the pages there are, never a file's size.
 */
import type { HostLook } from "../../base/index.ts";
import { errno } from "./errno.ts";
import { noteGrowth, writeGranted } from "./granted.ts";
import { refresh } from "./lower.ts";
import { inRanges, nextEdge, removeRange } from "./ranges.ts";
import type { FileInode, Page } from "./state.ts";
import type { Tree } from "./tree.ts";
import { type InodeId, PAGE_SIZE } from "./types.ts";
import { get, nextKey } from "./versions.ts";

/** ext4's limit with 4 KiB blocks. */
export const MAX_FILE_SIZE = 2 ** 44 - PAGE_SIZE;
/** Copied at once when a whole file is. */
const CHUNK = 1 << 20;

export const pageOf = (offset: number): number => Math.floor(offset / PAGE_SIZE);
export const pagesOf = (bytes: number): number => Math.ceil(bytes / PAGE_SIZE);

export const freshFile = (tree: Tree, id: InodeId): FileInode => {
  refresh(tree, id);
  return tree.file(id);
};

/** Reads as the guest sees the file; the count is short at its end. */
export function readContents(tree: Tree, id: InodeId, offset: number, into: Uint8Array): number {
  const file = freshFile(tree, id);
  const count = Math.min(into.length, Math.max(0, file.size - offset));
  const part = into.subarray(0, count);
  tree.options.worked?.(count);
  tree.options.uses?.read(id, offset, count);
  const failure = readStored(tree.options.host, file, offset, part);
  if (failure < 0) return failure;
  if (file.mappings > 0) tree.options.mapped.read(id, offset, part);
  return count;
}

/** What the file itself holds: pages of its own, and below them the host's but for holes. */
export type Stored = Pick<FileInode, "lower" | "lowerSize" | "holes" | "pages">;

/** Reads what the file itself holds, zeros beyond; ignores mappings. 0 or a negative error number. */
export function readStored(host: HostLook, file: Readonly<Stored>, offset: number, into: Uint8Array): number {
  for (let done = 0; done < into.length; ) {
    const at = offset + done;
    const page = pageOf(at);
    const own = get(file.pages, page);
    const end = (own ? page + 1 : endOfRun(file, page)) * PAGE_SIZE;
    const part = into.subarray(done, done + Math.min(end - at, into.length - done));
    if (own !== undefined) part.set(own.bytes.subarray(at % PAGE_SIZE, (at % PAGE_SIZE) + part.length));
    else if (inRanges(file.holes, page)) part.fill(0);
    else {
      const failure = readLower(host, file, at, part);
      if (failure < 0) return failure;
    }
    done += part.length;
  }
  return 0;
}

/** Where the pages end that are not the file's own and are like this one: the host's, or a hole in them. */
function endOfRun(file: Readonly<Stored>, page: number): number {
  return Math.min(nextKey(file.pages, page) ?? Number.POSITIVE_INFINITY, nextEdge(file.holes, page));
}

function readLower(host: HostLook, file: Readonly<Stored>, at: number, into: Uint8Array): number {
  const want = Math.min(into.length, Math.max(0, file.lowerSize - at));
  const got = want > 0 && file.lower !== undefined ? host.read(file.lower, at, into.subarray(0, want)) : 0;
  if (got < 0) return got;
  into.fill(0, got);
  return 0;
}

/** Writes and grows the file, and mapped pages with it; the count is short when the limit on bytes is met. */
export function writeContents(tree: Tree, id: InodeId, offset: number, bytes: Uint8Array): number {
  if (bytes.length > 0 && offset >= MAX_FILE_SIZE) return -errno.EFBIG;
  const whole = bytes.subarray(0, Math.min(bytes.length, MAX_FILE_SIZE - offset));
  tree.options.uses?.changed(id);
  const { size } = freshFile(tree, id);
  const count = writeStored(tree, id, offset, whole);
  if (count <= 0) return count;
  const { mapped } = tree.options;
  const isMapped = tree.file(id).mappings > 0;
  if (size < offset) mapped.told(id, size, offset - size);
  if (isMapped) showGrowth(tree, id, size, offset + count);
  mapped.told(id, offset, whole.subarray(0, count));
  if (isMapped) mapped.write(id, offset, whole.subarray(0, count));
  return count;
}

/** What was stored through a mapping behind the old end, on the file's last page, is not in the file (Linux 6.12 on). */
function showGrowth(tree: Tree, id: InodeId, before: number, after: number): void {
  const end = Math.min(after, pagesOf(before) * PAGE_SIZE);
  if (before < end) tree.options.mapped.zero(id, before, end);
}

/** Writes to the file itself and leaves guest memory alone. Marks the times. */
export function writeStored(tree: Tree, id: InodeId, offset: number, whole: Uint8Array): number {
  if (whole.length === 0) return 0;
  if (tree.file(id).granted) return writeGranted(tree, id, offset, whole);
  const count = writePagesOf(tree, id, offset, whole);
  if (count > 0) {
    const file = tree.editFile(id);
    file.size = Math.max(file.size, offset + count);
    file.modified = file.changed = tree.options.now();
  }
  return count;
}

function writePagesOf(tree: Tree, id: InodeId, offset: number, bytes: Uint8Array): number {
  let done = 0;
  while (done < bytes.length) {
    const from = (offset + done) % PAGE_SIZE;
    const part = bytes.subarray(done, done + PAGE_SIZE - from);
    const page = ownPage(tree, id, pageOf(offset + done), part.length === PAGE_SIZE);
    if (typeof page === "number") return done > 0 ? done : page;
    page.set(part, from);
    done += part.length;
  }
  return done;
}

/** The writable bytes of a page, brought into memory first unless it will be overwritten whole. */
export function ownPage(tree: Tree, id: InodeId, index: number, overwritten: boolean): Uint8Array | number {
  const file = tree.editFile(id);
  const page = get(file.pages, index);
  tree.options.worked?.(PAGE_SIZE);
  if (page?.epoch === tree.versions.epoch) return page.bytes;
  if (page === undefined) {
    if (!tree.hasRoomForBytes(PAGE_SIZE)) return -errno.ENOSPC;
    tree.editState().pageCount++;
  }
  const bytes = new Uint8Array(PAGE_SIZE);
  if (!overwritten) {
    const failure = readStored(tree.options.host, file, index * PAGE_SIZE, bytes);
    if (failure < 0) return failure;
  }
  const record: Page = { epoch: tree.versions.epoch, bytes };
  tree.versions.set(file.pages, index, record);
  return bytes;
}

/** Sets the size: what is cut off is gone, what is added reads as zeros. */
export function resize(tree: Tree, id: InodeId, size: number): number {
  const { size: before, granted, mappings } = freshFile(tree, id);
  if (size !== before) tree.options.uses?.changed(id);
  const failure = granted ? resizeOnHost(tree, id, size) : resizeHere(tree, id, size);
  if (failure < 0) return failure;
  if (size !== before) tree.options.mapped.told(id, Math.min(size, before), Math.abs(size - before));
  if (mappings > 0 && size < before) tree.options.mapped.cut(id, size);
  if (mappings > 0 && size > before) showGrowth(tree, id, before, size);
  return 0;
}

function resizeOnHost(tree: Tree, id: InodeId, size: number): number {
  const { size: before, lower } = tree.file(id);
  if (size > before && !tree.hasRoomForBytes(size - before)) return -errno.ENOSPC;
  const failure = tree.options.host.truncate(lower as string, size);
  if (failure === 0) noteGrowth(tree, id, size - before);
  refresh(tree, id);
  return failure;
}

function resizeHere(tree: Tree, id: InodeId, size: number): number {
  const file = tree.editFile(id);
  if (size < file.size) {
    if (size % PAGE_SIZE !== 0 && get(file.pages, pageOf(size)) !== undefined) {
      const page = ownPage(tree, id, pageOf(size), false);
      if (typeof page === "number") return page;
      page.fill(0, size % PAGE_SIZE);
    }
    dropPages(tree, file, pagesOf(size), Number.POSITIVE_INFINITY);
    file.lowerSize = Math.min(file.lowerSize, size);
    file.reserved = removeRange(file.reserved, pagesOf(size), Number.POSITIVE_INFINITY);
    file.holes = removeRange(file.holes, pagesOf(size), Number.POSITIVE_INFINITY);
  }
  file.size = size;
  file.modified = file.changed = tree.options.now();
  return 0;
}

export function dropPages(tree: Tree, file: FileInode, from: number, to: number): void {
  const state = tree.editState();
  for (let key = nextKey(file.pages, from); key !== undefined && key < to; key = nextKey(file.pages, key + 1)) {
    tree.versions.delete(file.pages, key);
    state.pageCount--;
  }
}

/** A granted file's name goes away on the host while somebody still holds it: it is copied, or if it is large, kept there. */
export function detach(tree: Tree, id: InodeId): void {
  const { size, lower, nlink, grown } = freshFile(tree, id);
  noteGrowth(tree, id, nlink > 1 ? 0 : -grown);
  const file = tree.editFile(id);
  file.grown = 0;
  file.granted = false;
  file.nlink = 1;
  const kept = size > CHUNK ? tree.options.host.keep(lower as string) : undefined;
  if (typeof kept === "string") file.lower = kept;
  else {
    file.lower = undefined;
    file.lowerSize = 0;
    copyLower(tree, id, lower as string, size);
  }
}

/** Pages of zeros are left out. */
function copyLower(tree: Tree, id: InodeId, lower: string, size: number): void {
  const chunk = new Uint8Array(Math.min(size, CHUNK));
  for (let at = 0; at < size; at += CHUNK) {
    const got = tree.options.host.read(lower, at, chunk);
    if (got <= 0) return;
    for (let page = 0; page < got; page += PAGE_SIZE) {
      const bytes = chunk.subarray(page, Math.min(page + PAGE_SIZE, got));
      if (bytes.some((byte) => byte !== 0) && writePagesOf(tree, id, at + page, bytes) < 0) return;
    }
  }
}
