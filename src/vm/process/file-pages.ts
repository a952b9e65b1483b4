/**
 * File contents in guest memory. While a shared mapping holds a file page, guest memory holds the truth: file calls come
 * here (MappedPages), and several mappings of one page are kept equal (`shared` bit and `aliasesOf`). Always:
 * - Every page of an area that lies inside its file is mapped in memory; pages wholly behind the file's end are not,
 *   so that touching them faults (SIGBUS) until the file grows.
 */
import { info, pageSize } from "../../runtime/index.ts";
import type { GuestFiles, InodeId, MappedPages } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { type Area, type Areas, areaAt, listAreas } from "./areas.ts";

const CHUNK = 1 << 20;
const ceilToPage = (bytes: number): number => Math.ceil(bytes / pageSize) * pageSize;

export class FilePages implements MappedPages {
  readonly #memory: GuestMemory;
  readonly #areas: () => Areas;
  readonly #files: () => GuestFiles;
  /** Answers for the mappings as they are. */
  #known: { readonly areas: Areas | undefined; readonly shared: Map<InodeId, readonly Area[]> };

  constructor(memory: GuestMemory, files: () => GuestFiles, areas: () => Areas) {
    this.#memory = memory;
    this.#files = files;
    this.#areas = areas;
    this.#known = { areas: undefined, shared: new Map() };
  }

  /** Bytes at the start of an area that the file reaches, in whole pages. */
  reach(area: Area): number {
    const length = area.end - area.start;
    if (area.file === undefined) return length;
    return Math.max(0, Math.min(length, ceilToPage(this.#files().sizeOf(area.file.inode) - area.file.offset)));
  }

  /** Copies the file into [start, end) of an area whose pages are mapped and zero. Pages of zeros stay untouched. */
  fill(area: Area, start: number, end: number): void {
    if (area.file === undefined) return;
    const { inode, offset } = area.file;
    const mapped = this.#sharedOf(inode).length > 0;
    for (let at = start; at < end; at += CHUNK) {
      const length = Math.min(CHUNK, end - at);
      const from = offset + (at - area.start);
      if (!mapped && this.#files().isHole(inode, from / pageSize, (from + length) / pageSize)) continue;
      const chunk = new Uint8Array(length);
      this.#readTruth(inode, from, chunk);
      loadNonZero(this.#memory, at, chunk);
    }
  }

  /** Hands pages of a shared area that differ from the file back to it. */
  writeBack(area: Area): number {
    if (area.file === undefined || !area.shared || (area.ceiling & 2) === 0) return 0;
    const { inode, offset } = area.file;
    const end = area.start + this.reach(area);
    for (let at = area.start; at < end; at += pageSize) {
      const position = offset + (at - area.start);
      if (!this.#differs(inode, position, at)) continue;
      const error = this.#files().writePages(inode, position, this.#memory.bytes.slice(at, at + pageSize));
      if (error < 0) return error;
    }
    return 0;
  }

  /** Whether the page at an address is not what the file itself has there. */
  #differs(inode: InodeId, position: number, address: number): boolean {
    const files = this.#files();
    const page = position / pageSize;
    let stored = files.ownPage(inode, page);
    if (stored === undefined) {
      const hole = files.isHole(inode, page, page + 1);
      if (hole && !this.#memory.isTouched(address / pageSize)) return false;
      stored = new Uint8Array(pageSize);
      if (!hole) files.readPages(inode, position, stored);
    }
    return !equalPages(this.#memory.bytes.subarray(address, address + pageSize), stored);
  }

  /** The file changed its size: pages that it no longer reaches go, new ones appear. */
  resized(inode: InodeId): void {
    const size = this.#files().sizeOf(inode);
    for (const area of listAreas(this.#areas())) {
      if (area.file?.inode !== inode) continue;
      const reach = this.reach(area);
      const edge = area.start + reach;
      if (edge < area.end) this.#memory.unmap(edge, area.end - edge);
      const beyond = area.file.offset + reach - size;
      if (area.shared && reach > 0 && beyond > 0) this.#memory.load(edge - beyond, new Uint8Array(beyond));
      for (let at = area.start; at < edge; at += pageSize) this.appear(area, at);
    }
  }

  /** Maps a page that the file has come to reach; false when it still does not, or the page was there all along. */
  appear(area: Area, page: number): boolean {
    if (area.file === undefined || this.#memory.infoOf(page / pageSize) !== 0) return false;
    if (page - area.start >= this.reach(area)) return false;
    this.#memory.map(page, pageSize, area.protection);
    this.fill(area, page, page + pageSize);
    this.mark(area, page, pageSize);
    if (this.aliasesOf(page / pageSize).length > 0) this.markAliases(area);
    return true;
  }

  /** Pages that hold their contents become what their area is. */
  mark(area: Area, start: number, length: number): void {
    const bits = (area.persistent ? info.persistent : 0) | (area.watched ? info.watched : 0);
    if (bits !== 0) this.#memory.setBits(start, length, bits, true);
  }

  /** Makes a file's bytes what they might always have been, where they are mapped and in the file. */
  lay(inode: InodeId, offset: number, bytes: Uint8Array): void {
    const room = bytes.subarray(0, Math.max(0, this.#files().sizeOf(inode) - offset));
    this.#files().writePages(inode, offset, room);
    for (const { file, start, end } of listAreas(this.#areas())) {
      if (file?.inode !== inode || offset < file.offset) continue;
      const address = start + (offset - file.offset);
      if (address < end) this.#memory.load(address, room.subarray(0, end - address));
    }
  }

  // ── One page in several places ──────────────────────────────────────────────────────────────────────────────

  #holders(inode: InodeId, offset: number): number[] {
    const found: number[] = [];
    for (const { file, start, end } of this.#sharedOf(inode)) {
      const address = start + (offset - file!.offset);
      if (address < start) continue;
      if (address < end && this.#memory.infoOf(address / pageSize) !== 0) found.push(address);
    }
    return found;
  }

  /** Other pages that show the same file page. */
  aliasesOf(page: number): readonly number[] {
    const address = page * pageSize;
    const area = areaAt(this.#areas(), address);
    if (area?.file === undefined || !area.shared) return [];
    const holders = this.#holders(area.file.inode, area.file.offset + (address - area.start));
    return holders.filter((holder) => holder !== address).map((holder) => holder / pageSize);
  }

  /** Sets the `shared` bit on pages of the file that are mapped more than once; only those that `changed` shows or showed are looked at. */
  markAliases(changed: Area): void {
    const { inode, offset: first } = changed.file!;
    const end = first + (changed.end - changed.start);
    const shown: { readonly from: number; readonly to: number; readonly shift: number }[] = [];
    for (const { areas } of this.#areas().leaves)
      for (const { shared, file, start, end: stop } of areas) {
        if (!shared || file?.inode !== inode) continue;
        const shift = start - file.offset;
        if (file.offset >= end || stop - shift <= first) continue;
        shown.push({ from: Math.max(first, file.offset), to: Math.min(end, stop - shift), shift });
      }
    for (const { from, to, shift } of shown) this.#memory.setBits(from + shift, to - from, info.shared, false);
    if (shown.length < 2) return;
    for (const [from, to] of shownTwice(shown))
      for (const range of shown) {
        const [start, stop] = [Math.max(from, range.from), Math.min(to, range.to)];
        if (start < stop) this.#memory.setBits(start + range.shift, stop - start, info.shared, true);
      }
  }

  /** The shared mappings of a file. */
  #sharedOf(inode: InodeId): readonly Area[] {
    const areas = this.#areas();
    if (this.#known.areas !== areas) this.#known = { areas, shared: new Map() };
    let found = this.#known.shared.get(inode);
    if (found === undefined) {
      found = listAreas(areas).filter(({ shared, file }) => shared && file?.inode === inode);
      this.#known.shared.set(inode, found);
    }
    return found;
  }

  readPage(inode: InodeId, page: number): Uint8Array | undefined {
    const [address] = this.#holders(inode, page * pageSize);
    return address === undefined ? undefined : this.#memory.bytes.subarray(address, address + pageSize);
  }

  writePage(inode: InodeId, page: number, offset: number, bytes: Uint8Array): boolean {
    const [address] = this.#holders(inode, page * pageSize);
    if (address === undefined) return false;
    this.#memory.load(address + offset, bytes);
    return true;
  }

  /** The file as its readers see it: mapped pages where there are some, else its own. */
  #readTruth(inode: InodeId, offset: number, into: Uint8Array): void {
    this.#files().readPages(inode, offset, into);
    if (this.#sharedOf(inode).length === 0) return;
    for (let at = 0; at < into.length; at += pageSize) {
      const page = this.readPage(inode, (offset + at) / pageSize);
      if (page !== undefined) into.set(page.subarray(0, Math.min(pageSize, into.length - at)), at);
    }
  }
}

/** The ranges that more than one of the given ones cover: apart from each other, in order. */
function shownTwice(ranges: readonly { readonly from: number; readonly to: number }[]): [number, number][] {
  const edges = ranges.flatMap(({ from, to }) => [
    { at: from, step: 1 },
    { at: to, step: -1 },
  ]);
  edges.sort((left, right) => left.at - right.at || left.step - right.step);
  const found: [number, number][] = [];
  let depth = 0;
  let since = 0;
  for (const { at, step } of edges) {
    if (depth === 1 && step === 1) since = at;
    if (depth === 2 && step === -1 && at > since) found.push([since, at]);
    depth += step;
  }
  return found;
}

/** Stores the pages of `bytes` that are not all zero, neighbours together. */
export function loadNonZero(memory: GuestMemory, address: number, bytes: Uint8Array): void {
  const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
  let runStart = -1;
  for (let at = 0; at < bytes.length; at += pageSize) {
    const zero = isZero(words, at >>> 2, Math.min(at + pageSize, bytes.length) >>> 2);
    if (!zero && runStart < 0) runStart = at;
    if (zero && runStart >= 0) {
      memory.load(address + runStart, bytes.subarray(runStart, at));
      runStart = -1;
    }
  }
  if (runStart >= 0) memory.load(address + runStart, bytes.subarray(runStart));
}

function isZero(words: Int32Array, from: number, to: number): boolean {
  for (let i = from; i < to; i++) if (words[i] !== 0) return false;
  return true;
}

function equalPages(left: Uint8Array, right: Uint8Array): boolean {
  const mine = new Int32Array(left.buffer, left.byteOffset, pageSize / 4);
  const theirs = new Int32Array(right.buffer, right.byteOffset, pageSize / 4);
  for (let i = 0; i < mine.length; i++) if (mine[i] !== theirs[i]) return false;
  return true;
}
