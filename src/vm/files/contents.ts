/**
 * The bytes of regular files: pages in memory over the host's contents. Always:
 * - What lies beyond the file's size reads as zeros when the file grows again.
 * - A page under a shared mapping is read from guest memory and written to both, so neither view goes stale.
 * - A granted file keeps no pages: it is read from and written to the host.
 */
import { errno } from "./errno.ts";
import { refresh } from "./lower.ts";
import { addRange, inRanges, lengthOf, removeRange } from "./ranges.ts";
import type { FileInode, Page } from "./state.ts";
import type { Tree } from "./tree.ts";
import { type InodeId, PAGE_SIZE } from "./types.ts";
import { get, keysOf, nextKey } from "./versions.ts";

/** ext4's limit with 4 KiB blocks. */
export const MAX_FILE_SIZE = 2 ** 44 - PAGE_SIZE;

const pageOf = (offset: number): number => Math.floor(offset / PAGE_SIZE);

export const freshFile = (tree: Tree, id: InodeId): FileInode => {
  refresh(tree, id);
  return tree.file(id);
};

/** Reads as the guest sees the file; the count is short at its end. */
export function readContents(tree: Tree, id: InodeId, offset: number, into: Uint8Array): number {
  const file = freshFile(tree, id);
  const count = Math.min(into.length, Math.max(0, file.size - offset));
  tree.options.uses?.read(id, offset, count);
  const failure = readStored(tree, file, offset, into.subarray(0, count));
  if (failure < 0) return failure;
  if (file.mappings > 0) overlayMapped(tree, file, offset, into.subarray(0, count));
  return count;
}

/** Reads what the file itself holds, zeros beyond; ignores mappings. 0 or a negative error number. */
export function readStored(tree: Tree, file: FileInode, offset: number, into: Uint8Array): number {
  for (let done = 0; done < into.length; ) {
    const at = offset + done;
    const page = get(file.pages, pageOf(at));
    const room = page ? PAGE_SIZE - (at % PAGE_SIZE) : runLength(file, at);
    const part = into.subarray(done, done + Math.min(room, into.length - done));
    if (page?.bytes !== undefined) part.set(page.bytes.subarray(at % PAGE_SIZE, (at % PAGE_SIZE) + part.length));
    else if (page !== undefined) part.fill(0);
    else {
      const failure = readLower(tree, file, at, part);
      if (failure < 0) return failure;
    }
    done += part.length;
  }
  return 0;
}

/** Bytes from `at` on that no page covers. */
function runLength(file: FileInode, at: number): number {
  const next = nextKey(file.pages, pageOf(at));
  return next === undefined ? Number.POSITIVE_INFINITY : next * PAGE_SIZE - at;
}

function readLower(tree: Tree, file: FileInode, at: number, into: Uint8Array): number {
  const want = Math.min(into.length, Math.max(0, file.lowerSize - at));
  const got = want > 0 && file.lower !== undefined ? tree.options.host.read(file.lower, at, into.subarray(0, want)) : 0;
  if (got < 0) return got;
  into.fill(0, got);
  return 0;
}

function overlayMapped(tree: Tree, file: FileInode, offset: number, into: Uint8Array): void {
  forEachPage(offset, into.length, (page, from, done, length) => {
    const live = tree.options.mapped.readPage(file.id, page);
    if (live !== undefined) into.set(live.subarray(from, from + length), done);
  });
}

type PageVisit = (page: number, from: number, done: number, length: number) => void;

/** Cuts a range at page boundaries: page, start within it, bytes before it, length. */
function forEachPage(offset: number, length: number, visit: PageVisit): void {
  for (let done = 0; done < length; ) {
    const from = (offset + done) % PAGE_SIZE;
    const part = Math.min(PAGE_SIZE - from, length - done);
    visit(pageOf(offset + done), from, done, part);
    done += part;
  }
}

/** Writes and grows the file, and mapped pages with it; the count is short when the limit on bytes is met. */
export function writeContents(tree: Tree, id: InodeId, offset: number, bytes: Uint8Array): number {
  if (bytes.length > 0 && offset >= MAX_FILE_SIZE) return -errno.EFBIG;
  const whole = bytes.subarray(0, Math.min(bytes.length, MAX_FILE_SIZE - offset));
  tree.options.uses?.changed(id);
  const count = writeStored(tree, id, offset, whole);
  if (count > 0 && tree.file(id).mappings > 0) writeMapped(tree, id, offset, whole.subarray(0, count));
  return count;
}

/** Writes to the file itself and leaves guest memory alone. Marks the times. */
export function writeStored(tree: Tree, id: InodeId, offset: number, whole: Uint8Array): number {
  if (whole.length === 0) return 0;
  const count = tree.file(id).granted
    ? tree.options.host.write(tree.file(id).lower as string, offset, whole)
    : writePagesOf(tree, id, offset, whole);
  if (count < 0) return count;
  if (tree.file(id).granted) refresh(tree, id);
  else {
    const file = tree.editFile(id);
    file.size = Math.max(file.size, offset + count);
    file.modified = file.changed = tree.options.now();
  }
  return count;
}

function writeMapped(tree: Tree, id: InodeId, offset: number, bytes: Uint8Array): void {
  forEachPage(offset, bytes.length, (page, from, done, length) => {
    tree.options.mapped.writePage(id, page, from, bytes.subarray(done, done + length));
  });
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

/** Whether so many more bytes may be kept. */
function hasRoom(tree: Tree, length: number): boolean {
  const { bytes } = tree.options.limits;
  if (tree.state.pageCount * PAGE_SIZE + length <= bytes) return true;
  tree.options.limitReached?.("bytes of files", bytes);
  return false;
}

/** The writable bytes of a page, brought into memory first unless it will be overwritten whole. */
function ownPage(tree: Tree, id: InodeId, index: number, overwritten: boolean): Uint8Array | number {
  const file = tree.editFile(id);
  const page = get(file.pages, index);
  if (page?.bytes !== undefined && page.epoch === tree.versions.epoch) return page.bytes;
  if (page === undefined) {
    if (!hasRoom(tree, PAGE_SIZE)) return -errno.ENOSPC;
    tree.editState().pageCount++;
  }
  const bytes = new Uint8Array(PAGE_SIZE);
  if (!overwritten) {
    const failure = readStored(tree, file, index * PAGE_SIZE, bytes);
    if (failure < 0) return failure;
  }
  const record: Page = { epoch: tree.versions.epoch, bytes };
  tree.versions.set(file.pages, index, record);
  return bytes;
}

/** Sets the size: what is cut off is gone, what is added reads as zeros. */
export function resize(tree: Tree, id: InodeId, size: number): number {
  const now = tree.options.now();
  const before = freshFile(tree, id);
  if (size !== before.size) tree.options.uses?.changed(id);
  if (before.granted) {
    const failure = tree.options.host.truncate(before.lower as string, size);
    if (failure < 0) return failure;
    if (size < before.size) zeroMapped(tree, id, size, before.size);
    refresh(tree, id);
    return 0;
  }
  const file = tree.editFile(id);
  if (size < file.size) {
    if (size % PAGE_SIZE !== 0 && get(file.pages, pageOf(size))?.bytes !== undefined) {
      const page = ownPage(tree, id, pageOf(size), false);
      if (typeof page === "number") return page;
      page.fill(0, size % PAGE_SIZE);
    }
    const end = Math.ceil(size / PAGE_SIZE);
    dropPages(tree, file, end, Number.POSITIVE_INFINITY);
    file.lowerSize = Math.min(file.lowerSize, size);
    file.reserved = removeRange(file.reserved, end, Number.POSITIVE_INFINITY);
    zeroMapped(tree, id, size, file.size);
  }
  file.size = size;
  file.modified = file.changed = now;
  return 0;
}

function zeroMapped(tree: Tree, id: InodeId, from: number, to: number): void {
  if (tree.file(id).mappings === 0) return;
  const zeros = new Uint8Array(PAGE_SIZE);
  forEachPage(from, to - from, (page, start, _done, length) => {
    tree.options.mapped.writePage(id, page, start, zeros.subarray(0, length));
  });
}

function dropPages(tree: Tree, file: FileInode, from: number, to: number): void {
  const state = tree.editState();
  for (let key = nextKey(file.pages, from); key !== undefined && key < to; key = nextKey(file.pages, key + 1)) {
    tree.versions.delete(file.pages, key);
    state.pageCount--;
  }
}

/** Makes a range read as zeros without holding bytes for it; never changes the size. A hole that reaches the end of the file takes its last page whole, as ext4 does. */
export function punchHole(tree: Tree, id: InodeId, offset: number, wanted: number): number {
  tree.options.uses?.changed(id);
  const file = tree.editFile(id);
  if (offset >= file.size) return 0;
  const length = offset + wanted >= file.size ? Math.ceil(file.size / PAGE_SIZE) * PAGE_SIZE - offset : wanted;
  const firstWhole = Math.ceil(offset / PAGE_SIZE);
  const endWhole = pageOf(offset + length);
  const headEnd = Math.min(offset + length, firstWhole * PAGE_SIZE);
  const tailBegin = Math.max(headEnd, endWhole * PAGE_SIZE);
  for (const [from, to] of [
    [offset, headEnd],
    [tailBegin, offset + length],
  ] as const) {
    const failure = zeroInPage(tree, id, from, to);
    if (failure < 0) return failure;
  }
  if (firstWhole < endWhole) {
    dropPages(tree, file, firstWhole, endWhole);
    const lowerEnd = Math.min(endWhole, Math.ceil(file.lowerSize / PAGE_SIZE));
    for (let page = firstWhole; page < lowerEnd; page++) {
      tree.versions.set(file.pages, page, { epoch: tree.versions.epoch, bytes: undefined });
      tree.editState().pageCount++;
    }
    file.reserved = removeRange(file.reserved, firstWhole, endWhole);
  }
  zeroMapped(tree, id, offset, Math.min(offset + length, file.size));
  file.modified = file.changed = tree.options.now();
  return 0;
}

/** Zeros part of one page, if the page holds anything. */
function zeroInPage(tree: Tree, id: InodeId, from: number, to: number): number {
  if (from >= to || !holdsData(tree.file(id), pageOf(from))) return 0;
  const page = ownPage(tree, id, pageOf(from), false);
  if (typeof page === "number") return page;
  page.fill(0, from % PAGE_SIZE, ((to - 1) % PAGE_SIZE) + 1);
  return 0;
}

/** Promises space for a range: it counts as allocated though it holds no bytes yet. */
export function reserve(tree: Tree, id: InodeId, offset: number, length: number): number {
  if (!hasRoom(tree, length)) return -errno.ENOSPC;
  const file = tree.editFile(id);
  const from = Math.max(pageOf(offset), Math.ceil(file.lowerSize / PAGE_SIZE));
  const to = Math.ceil((offset + length) / PAGE_SIZE);
  if (from < to) file.reserved = addRange(file.reserved, from, to);
  file.changed = tree.options.now();
  return 0;
}

const isLowerPage = (file: FileInode, page: number): boolean => page * PAGE_SIZE < file.lowerSize;

function holdsData(file: FileInode, page: number): boolean {
  const known = get(file.pages, page);
  return known === undefined ? isLowerPage(file, page) : known.bytes !== undefined;
}

/** SEEK_DATA and SEEK_HOLE by whole pages; the end of the file is a hole. */
export function seekExtent(tree: Tree, id: InodeId, offset: number, want: "data" | "hole"): number {
  const file = freshFile(tree, id);
  if (offset < 0 || offset >= file.size) return -errno.ENXIO;
  const end = Math.ceil(file.size / PAGE_SIZE);
  const isData = (page: number) =>
    holdsData(file, page) || (file.mappings > 0 && tree.options.mapped.readPage(id, page) !== undefined);
  let page = pageOf(offset);
  while (page < end && isData(page) !== (want === "data")) {
    const sparse = want === "data" && file.mappings === 0 && !isLowerPage(file, page);
    page = sparse ? (nextKey(file.pages, page + 1) ?? end) : page + 1;
  }
  if (page < end) return Math.max(offset, page * PAGE_SIZE);
  return want === "data" ? -errno.ENXIO : file.size;
}

/** Allocated 512-byte units. */
export function allocatedBlocks(file: FileInode): number {
  let pages = lengthOf(file.reserved) + Math.ceil(file.lowerSize / PAGE_SIZE);
  for (const key of keysOf(file.pages)) {
    const reserved = inRanges(file.reserved, key);
    const holds = get(file.pages, key)?.bytes !== undefined;
    if (isLowerPage(file, key)) pages -= holds ? 0 : 1;
    else if (holds && !reserved) pages++;
  }
  return (pages * PAGE_SIZE) / 512;
}

/** Brings a granted file wholly into memory: its name goes away on the host while somebody still holds it. */
export function detach(tree: Tree, id: InodeId): void {
  const file = freshFile(tree, id);
  const bytes = new Uint8Array(Math.min(file.size, tree.options.limits.bytes));
  tree.options.host.read(file.lower as string, 0, bytes);
  const kept = tree.editFile(id);
  kept.granted = false;
  kept.nlink = 1;
  kept.lower = undefined;
  kept.lowerSize = 0;
  writePagesOf(tree, id, 0, bytes);
}
