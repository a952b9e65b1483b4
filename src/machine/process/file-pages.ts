/**
 * File contents in guest memory. Pages of shared and of large mappings come when they are first used, some neighbours with
 * them, so that a mapping costs what is used of it. While a shared mapping has a page here, guest memory holds the truth: file calls come
 * here (MappedPages), and several mappings of one page are kept equal (`shared` bit and `aliasesOf`). Always:
 * - Pages wholly behind the file's end are not here, so that touching them faults (SIGBUS) until the file grows.
 * - A page that two shared mappings have here is `shared`, no other is.
 * - A page that nobody stored to since it came, or since it was handed back, is `asInFile`: handing back costs the others.
 */
import { assert, verifiesOwnWork } from "../../base/index.ts";
import type { GuestFiles, InodeId, MappedPages } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { info, pageSize } from "../runtime/index.ts";
import { type Area, type Areas, areaAt } from "./areas.ts";
import { type FileView, FileViews } from "./file-views.ts";

const CHUNK = 1 << 20;
/** What comes with a page that is used: Linux's fault_around_bytes. */
const AROUND = 16 * pageSize;
const PROT_EXEC = 4;
const APPEARED_MAX = 256;
/** Memory without a file is mostly reserved, not used, when it is this much at once. */
const LARGE = 1 << 20;
const ceilToPage = (bytes: number): number => Math.ceil(bytes / pageSize) * pageSize;
const floorTo = (address: number, unit: number): number => address - (address % unit);

export class FilePages implements MappedPages {
  readonly #memory: GuestMemory;
  readonly #areas: () => Areas;
  readonly #files: () => GuestFiles;
  readonly #tell: MappedPages["told"];
  readonly views = new FileViews();
  /** Addresses whose use let pages come, since somebody last took them. */
  #appeared: number[] = [];

  constructor(memory: GuestMemory, files: () => GuestFiles, areas: () => Areas, tell: MappedPages["told"]) {
    this.#memory = memory;
    this.#tell = tell;
    this.#files = files;
    this.#areas = areas;
  }

  #viewsOf(inode: InodeId): readonly FileView[] {
    return this.views.of(this.#areas(), inode);
  }

  // ── Coming ──────────────────────────────────────────────────────────────────────────────────────────────────

  /** Bytes at the start of an area that the file reaches, in whole pages. */
  #reach(area: Area): number {
    const length = area.end - area.start;
    if (area.file === undefined) return length;
    return Math.max(0, Math.min(length, ceilToPage(this.#files().sizeOf(area.file.inode) - area.file.offset)));
  }

  /** An area is new, or is to be run: pages that do not wait for their first use come. Code is read without asking. */
  populate(area: Area): void {
    const large = area.name === undefined && area.end - area.start >= LARGE;
    const waits = (area.file === undefined ? large : area.shared) && (area.protection & PROT_EXEC) === 0;
    if (!waits) this.#bring(area, area.start, area.start + this.#reach(area));
  }

  /** A page of an area is used that is not here; false when it lies behind the file's end, or was here all along. */
  appear(area: Area, address: number): boolean {
    const page = floorTo(address, pageSize);
    const end = area.start + this.#reach(area);
    if (page >= end || this.#memory.infoOf(page / pageSize) !== 0) return false;
    if (this.#appeared.length < APPEARED_MAX) this.#appeared.push(page);
    const around = floorTo(page, AROUND);
    this.#bring(area, Math.max(area.start, around), Math.min(end, around + AROUND));
    return true;
  }

  /** Where pages came on use, not nearly all of them where they are many. */
  takeAppeared(): readonly number[] {
    const appeared = this.#appeared;
    this.#appeared = [];
    return appeared;
  }

  /** The same for an address that the kernel uses for the guest. */
  appearAt(address: number): boolean {
    const area = areaAt(this.#areas(), address);
    return area !== undefined && this.appear(area, address);
  }

  /** Maps the pages of [from, to) that are not here, with their contents. */
  #bring(area: Area, from: number, to: number): void {
    for (let at = from; at < to; ) {
      const [start, end] = this.#memory.nextUnmapped(at, Math.min(to, at + CHUNK));
      if (start < end) this.#bringRun(area, start, end);
      at = Math.max(end, at + pageSize);
    }
  }

  #bringRun(area: Area, start: number, end: number): void {
    const isHeld = this.#isHeld(area, start, end);
    const contents = this.#contents(area, start, end, isHeld);
    this.#memory.map(start, end - start, area.protection);
    if (contents !== undefined) loadNonZero(this.#memory, start, contents);
    this.#mark(area, start, end);
    if (area.file !== undefined && area.shared && !isHeld) this.#memory.isAsInFile(start, end - start);
  }

  /** Whether another mapping has some of [start, end), where it may be newer than in the file. */
  #isHeld({ file, start: areaStart }: Area, start: number, end: number): boolean {
    if (file === undefined) return false;
    const first = (file.offset + (start - areaStart)) / pageSize;
    return this.nextStored(file.inode, first, first + (end - start) / pageSize) !== undefined;
  }

  /** What [start, end) of an area shows; undefined: zeros. */
  #contents(area: Area, start: number, end: number, isHeld: boolean): Uint8Array | undefined {
    if (area.file === undefined) return undefined;
    const { inode, offset } = area.file;
    const from = offset + (start - area.start);
    const [first, last] = [from / pageSize, (from + end - start) / pageSize];
    if (!isHeld && this.#files().isHole(inode, first, last)) return undefined;
    const contents = new Uint8Array(end - start);
    this.#files().readPages(inode, from, contents);
    if (isHeld) this.read(inode, from, contents);
    return contents;
  }

  /** Pages that hold their contents become what their area is. */
  #mark(area: Area, start: number, end: number): void {
    const bits = (area.persistent ? info.persistent : 0) | (area.watched ? info.watched : 0);
    if (bits !== 0) this.#memory.setBits(start, end - start, bits, true);
    if (!area.shared || area.file === undefined || !this.#hasTwins(area)) return;
    for (let at = start; at < end; at += pageSize) {
      const aliases = this.aliasesOf(at / pageSize);
      if (aliases.length === 0) continue;
      for (const page of [at / pageSize, ...aliases])
        this.#memory.setBits(page * pageSize, pageSize, info.shared, true);
    }
  }

  #hasTwins({ file, start }: Area): boolean {
    return this.#viewsOf(file!.inode).some((other) => other.shared && (start < other.start || other.end <= start));
  }

  /** Pages move with their contents from an area to another at `target` that is new. */
  move(from: Area, area: Area): void {
    if (!from.shared) this.populate(area);
    const end = Math.min(from.end, from.start + (area.end - area.start));
    for (let at = from.start; at < end; at += pageSize) {
      if (this.#memory.infoOf(at / pageSize) === 0) continue;
      const to = area.start + (at - from.start);
      this.#memory.map(to, pageSize, area.protection);
      if (this.#memory.isTouched(at / pageSize)) this.#memory.load(to, this.#memory.bytes.slice(at, at + pageSize));
      this.#mark(area, to, to + pageSize);
    }
  }

  // ── Going ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Hands pages of a shared area that differ from the file back to it. */
  writeBack(area: Area): number {
    if (area.file === undefined || !area.shared || (area.ceiling & 2) === 0) return 0;
    const { inode, offset } = area.file;
    const end = (area.start + this.#reach(area)) / pageSize;
    for (
      let page = this.#memory.nextTouched(area.start / pageSize, end);
      page !== undefined;
      page = this.#memory.nextTouched(page + 1, end)
    ) {
      const address = page * pageSize;
      const position = offset + (address - area.start);
      if ((this.#memory.infoOf(page) & info.asInFile) !== 0) {
        assert(!verifiesOwnWork() || !this.#differs(inode, position, address), "a page that is as in its file is so");
        continue;
      }
      if (this.#differs(inode, position, address)) {
        const error = this.#files().writePages(inode, position, this.#memory.bytes.slice(address, address + pageSize));
        if (error < 0) return error;
      }
      this.#memory.isAsInFile(address, pageSize);
    }
    return 0;
  }

  /** Whether the page at an address is not what the file itself has there. */
  #differs(inode: InodeId, position: number, address: number): boolean {
    const files = this.#files();
    let stored = files.ownPage(inode, position / pageSize);
    if (stored === undefined) {
      stored = new Uint8Array(pageSize);
      files.readPages(inode, position, stored);
    }
    return !equalPages(this.#memory.bytes.subarray(address, address + pageSize), stored);
  }

  /** Pages of a piece of an area that others show too. */
  sharedPages(piece: Area): readonly number[] {
    const pages: number[] = [];
    if (piece.file === undefined || !piece.shared || !this.#hasTwins(piece)) return pages;
    for (let page = piece.start / pageSize; page < piece.end / pageSize; page++)
      if ((this.#memory.infoOf(page) & info.shared) !== 0) pages.push(page);
    return pages;
  }

  /** These have gone, the list of areas still has them: what only one mapping shows is `shared` no longer. */
  unshare(pages: readonly number[]): void {
    for (const page of pages) {
      const [other, ...more] = this.aliasesOf(page);
      if (other !== undefined && more.length === 0)
        this.#memory.setBits(other * pageSize, pageSize, info.shared, false);
    }
  }

  cut(inode: InodeId, size: number): void {
    for (const area of this.#viewsOf(inode)) {
      const edge = area.start + Math.min(area.end - area.start, Math.max(0, ceilToPage(size - area.offset)));
      if (edge < area.end) this.#memory.unmap(edge, area.end - edge);
    }
    this.zero(inode, size, ceilToPage(size));
  }

  // ── The truth about a file's bytes ──────────────────────────────────────────────────────────────────────────

  /** The parts of a file's range that shared mappings have here, page by page, those shown twice once. */
  *#held(inode: InodeId, from: number, to: number): Iterable<{ address: number; offset: number; length: number }> {
    for (const area of this.#viewsOf(inode)) {
      if (!area.shared) continue;
      const shift = area.start - area.offset;
      const end = Math.min(to + shift, area.end);
      for (let at = Math.max(from + shift, area.start); at < end; ) {
        const next = Math.min(end, floorTo(at, pageSize) + pageSize);
        const page = Math.floor(at / pageSize);
        if (this.#memory.infoOf(page) !== 0 && !this.#isShownBelow(page))
          yield { address: at, offset: at - shift, length: next - at };
        at = next;
      }
    }
  }

  #isShownBelow(page: number): boolean {
    return (this.#memory.infoOf(page) & info.shared) !== 0 && this.aliasesOf(page).some((alias) => alias < page);
  }

  read(inode: InodeId, offset: number, into: Uint8Array): void {
    for (const { address, offset: at, length } of this.#held(inode, offset, offset + into.length))
      into.set(this.#memory.bytes.subarray(address, address + length), at - offset);
  }

  write(inode: InodeId, offset: number, bytes: Uint8Array): void {
    for (const { address, offset: at, length } of this.#held(inode, offset, offset + bytes.length))
      this.#memory.overwrite(address, bytes.subarray(at - offset, at - offset + length));
  }

  zero(inode: InodeId, from: number, to: number): void {
    const zeros = new Uint8Array(pageSize);
    for (const { address, length } of this.#held(inode, from, to)) {
      const page = Math.floor(address / pageSize);
      if (!this.#memory.isTouched(page)) continue;
      this.#memory.overwrite(address, zeros.subarray(0, length));
      if (length === pageSize) for (const one of [page, ...this.aliasesOf(page)]) this.#memory.untouch(one);
    }
  }

  told(inode: InodeId, offset: number, written: Uint8Array | number): void {
    this.#tell(inode, offset, written);
  }

  nextStored(inode: InodeId, from: number, end: number): number | undefined {
    let found: number | undefined;
    for (const { shared, offset, start, end: viewEnd } of this.#viewsOf(inode)) {
      if (!shared) continue;
      const shift = (start - offset) / pageSize;
      const first = Math.max(from + shift, start / pageSize);
      const touched = this.#memory.nextTouched(first, Math.min((found ?? end) + shift, viewEnd / pageSize));
      if (touched !== undefined) found = touched - shift;
    }
    return found;
  }

  /** Makes a file's bytes what they might always have been, where they are here and in the file. */
  layBytes(inode: InodeId, offset: number, bytes: Uint8Array): void {
    const room = bytes.subarray(0, Math.max(0, this.#files().sizeOf(inode) - offset));
    this.#files().writePages(inode, offset, room);
    this.write(inode, offset, room);
    for (const { shared, offset: first, start, end } of this.#viewsOf(inode)) {
      if (shared || offset < first) continue;
      const address = start + (offset - first);
      if (address < end && this.#memory.infoOf(Math.floor(address / pageSize)) !== 0)
        this.#memory.load(address, room.subarray(0, end - address));
    }
  }

  // ── One page in several places ──────────────────────────────────────────────────────────────────────────────

  /** Every address at which shared mappings show what is at this one, whether it is here yet or not. */
  #twins(address: number): number[] {
    const area = areaAt(this.#areas(), address);
    if (area?.file === undefined || !area.shared) return [address];
    const { inode, offset } = area.file;
    const place = offset + (address - area.start);
    const found: number[] = [];
    for (const { shared, offset: first, start, end } of this.#viewsOf(inode)) {
      if (!shared || place < first) continue;
      const twin = start + (place - first);
      if (twin < end) found.push(twin);
    }
    return found;
  }

  /** The lowest address that shows what is at this one: the same for all of them. */
  lowestTwin(address: number): number {
    return Math.min(...this.#twins(address));
  }

  /** Other pages here that show the same file page. */
  aliasesOf(page: number): readonly number[] {
    const pages = this.#twins(page * pageSize).map((address) => address / pageSize);
    return pages.filter((twin) => twin !== page && this.#memory.infoOf(twin) !== 0);
  }
}

/** Stores the pages of `bytes` that are not all zero, neighbours together. */
function loadNonZero(memory: GuestMemory, address: number, bytes: Uint8Array): void {
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
