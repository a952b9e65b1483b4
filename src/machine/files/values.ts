/**
 * A file's own contents as a value: what the host has, holes in it, pages over it. Always:
 * - Taking a value, and making one a file's contents, cost nothing but for the ranges; what is changed afterwards is copied
 *   first. Values may go from one tree to another in the same thread.
 * - What mappings hold in guest memory is not in it.
 */
import type { HostLook } from "../../base/index.ts";
import { assert } from "../../base/index.ts";
import { freshFile, pagesOf, readStored, type Stored } from "./contents.ts";
import { inRanges, nextEdge } from "./ranges.ts";
import type { FileInode, Page, PageRange } from "./state.ts";
import type { Tree } from "./tree.ts";
import { type InodeId, PAGE_SIZE } from "./types.ts";
import { get, keysOf, nextKey, Versions } from "./versions.ts";

export type FileContents = Readonly<Stored & Pick<FileInode, "size" | "reserved">>;

export function contentsOf(tree: Tree, id: InodeId): FileContents {
  const { size, lower, lowerSize, holes, pages, reserved } = freshFile(tree, id);
  tree.versions.advance();
  return { size, lower, lowerSize, holes, pages, reserved };
}

/** The file has these contents from here on, in every mapping too. */
export function adopt(tree: Tree, id: InodeId, contents: FileContents): void {
  const file = tree.editFile(id);
  assert(!file.granted, "a granted file has no contents but the host's");
  const { size, lower, lowerSize, holes, reserved } = contents;
  tree.options.uses?.changed(id);
  tree.editState().pageCount += contents.pages.size - file.pages.size;
  const now = tree.options.now();
  const pages = { ...contents.pages, epoch: tree.versions.epoch };
  Object.assign(file, { size, lower, lowerSize, holes, reserved, pages, modified: now, changed: now });
  if (file.mappings > 0) tree.options.mapped.cut(id, 0);
}

/** Reads a value; zeros beyond what it holds. */
export function readValue(host: HostLook, contents: FileContents, offset: number, into: Uint8Array): void {
  const end = Math.max(0, Math.min(into.length, contents.size - offset));
  const failure = readStored(host, contents, offset, into.subarray(0, end));
  into.fill(0, failure < 0 ? 0 : end);
}

/** The pages that may hold something other than zeros, as ranges in order. */
export function* dataIn(contents: FileContents): Generator<PageRange> {
  const lowerEnd = pagesOf(contents.lowerSize);
  const end = pagesOf(contents.size);
  for (let page = 0; page < end; ) {
    const isLower = page < lowerEnd && !inRanges(contents.holes, page);
    const own = nextKey(contents.pages, page) ?? end;
    const stop = isLower
      ? Math.min(nextEdge(contents.holes, page), lowerEnd)
      : own === page
        ? page + 1
        : Math.min(own, page < lowerEnd ? nextEdge(contents.holes, page) : end);
    if (isLower || own === page) yield [page, Math.min(stop, end)];
    page = stop;
  }
}

/** A value's own pages, to be carried to another thread. */
export function* pagesIn(contents: FileContents): Generator<readonly [number: number, bytes: Uint8Array]> {
  for (const key of keysOf(contents.pages)) yield [key, get(contents.pages, key)!.bytes];
}

/** The value with these own pages; `bytes` are never changed. */
export function withPages(
  contents: Omit<FileContents, "pages">,
  pages: Iterable<readonly [number: number, bytes: Uint8Array]>,
): FileContents {
  const versions = new Versions();
  const table = versions.table<Page>();
  for (const [key, bytes] of pages) {
    assert(bytes.length === PAGE_SIZE, "a page's contents are a page");
    versions.set(table, key, { epoch: versions.epoch, bytes });
  }
  return { ...contents, pages: table };
}
