/** Which parts of a regular file hold something: holes, reserved space, SEEK_DATA and SEEK_HOLE. Work follows what there is. */
import { dropPages, freshFile, ownPage, pageOf, pagesOf } from "./contents.ts";
import { errno } from "./errno.ts";
import { addRange, inRanges, lengthOf, nextEdge, removeRange } from "./ranges.ts";
import type { FileInode } from "./state.ts";
import type { Tree } from "./tree.ts";
import { type InodeId, PAGE_SIZE } from "./types.ts";
import { get, nextKey } from "./versions.ts";

/** What the disk seems to hold. Promising space keeps nothing, so only promises beyond it are refused. */
export const DISK_BYTES = 2 ** 42;

/** Pages of the host's file that show through where no own page covers them. */
const isLower = (file: FileInode, page: number): boolean =>
  page < pagesOf(file.lowerSize) && !inRanges(file.holes, page);

const holdsData = (file: FileInode, page: number): boolean =>
  get(file.pages, page) !== undefined || isLower(file, page);

/** Makes a range read as zeros without holding bytes for it; never changes the size. A hole that reaches the end of the file takes its last page whole, as ext4 does. */
export function punchHole(tree: Tree, id: InodeId, offset: number, wanted: number): number {
  tree.options.uses?.changed(id);
  const file = tree.editFile(id);
  if (offset >= file.size) return 0;
  const end = offset + wanted >= file.size ? pagesOf(file.size) * PAGE_SIZE : offset + wanted;
  const [firstWhole, endWhole] = [pagesOf(offset), pageOf(end)];
  const headEnd = Math.min(end, firstWhole * PAGE_SIZE);
  const tailBegin = Math.max(headEnd, endWhole * PAGE_SIZE);
  for (const [from, to] of [
    [offset, headEnd],
    [tailBegin, end],
  ] as const) {
    const failure = zeroInPage(tree, id, from, to);
    if (failure < 0) return failure;
  }
  if (firstWhole < endWhole) {
    dropPages(tree, file, firstWhole, endWhole);
    const lowerEnd = Math.min(endWhole, pagesOf(file.lowerSize));
    if (firstWhole < lowerEnd) file.holes = addRange(file.holes, firstWhole, lowerEnd);
    file.reserved = removeRange(file.reserved, firstWhole, endWhole);
  }
  if (offset < end) tree.options.mapped.told(id, offset, Math.min(end, file.size) - offset);
  if (file.mappings > 0) tree.options.mapped.zero(id, offset, Math.min(end, file.size));
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
  if (length > DISK_BYTES) return -errno.ENOSPC;
  const file = tree.editFile(id);
  const from = Math.max(pageOf(offset), pagesOf(file.lowerSize));
  const to = pagesOf(offset + length);
  if (from < to) file.reserved = addRange(file.reserved, from, to);
  file.changed = tree.options.now();
  return 0;
}

/** SEEK_DATA and SEEK_HOLE by whole pages; the end of the file is a hole. */
export function seekExtent(tree: Tree, id: InodeId, offset: number, want: "data" | "hole"): number {
  const file = freshFile(tree, id);
  if (offset < 0 || offset >= file.size) return -errno.ENXIO;
  const end = pagesOf(file.size);
  const page = (want === "data" ? nextData : nextHole)(tree, file, pageOf(offset), end);
  if (page < end) return Math.max(offset, page * PAGE_SIZE);
  return want === "data" ? -errno.ENXIO : file.size;
}

/** Of pages that guest memory holds, those count that were stored to; they need not be in the file yet. */
const nextMapped = (tree: Tree, { id, mappings }: FileInode, page: number, end: number): number =>
  (mappings > 0 ? tree.options.mapped.nextStored(id, page, end) : undefined) ?? end;

function nextData(tree: Tree, file: FileInode, page: number, end: number): number {
  const lowerEnd = pagesOf(file.lowerSize);
  const lower = inRanges(file.holes, page) ? nextEdge(file.holes, page) : page;
  const own = nextKey(file.pages, page) ?? end;
  return Math.min(own, lower < lowerEnd ? lower : end, nextMapped(tree, file, page, end));
}

function nextHole(tree: Tree, file: FileInode, from: number, end: number): number {
  for (let page = from; page < end; ) {
    if (isLower(file, page)) page = Math.min(nextEdge(file.holes, page), pagesOf(file.lowerSize));
    else if (get(file.pages, page) !== undefined || nextMapped(tree, file, page, page + 1) === page) page++;
    else return page;
  }
  return end;
}

/** Allocated 512-byte units. */
export function allocatedBlocks(file: FileInode): number {
  const lowerEnd = pagesOf(file.lowerSize);
  let pages = lengthOf(file.reserved) + lowerEnd - lengthOf(file.holes);
  if (lowerEnd === 0 && file.reserved.length === 0) pages += file.pages.size;
  else
    for (let key = nextKey(file.pages, 0); key !== undefined; key = nextKey(file.pages, key)) {
      // Pages of what counts already are passed over together: a pool whose space was promised is one range.
      if (isLower(file, key)) key = Math.min(nextEdge(file.holes, key), lowerEnd);
      else if (inRanges(file.reserved, key)) key = nextEdge(file.reserved, key);
      else {
        pages++;
        key++;
      }
    }
  return (pages * PAGE_SIZE) / 512;
}
