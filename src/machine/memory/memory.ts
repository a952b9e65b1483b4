/**
 * Guest memory: one linear memory, permissions by page, snapshots. Always:
 * - `pageFast` is derived from `pageInfo` and never more permissive (machine/runtime/layout.ts).
 * - A page that was never stored to is zero and `clean`; so is every page right after a snapshot. The first store to a
 *   clean page comes through `touch`, which saves it for the snapshot.
 * - Addresses are numbers below 2^32; what lies outside the guest's range is never mapped.
 */
import { assert, createMemory } from "../../base/index.ts";
import { fast, info, layout, memoryPages64K, pageBits, pageSize, pages } from "../runtime/index.ts";
import { type PageChange, type PageRecord, type Version, Versions } from "./versions.ts";

export interface MemoryHooks {
  /** Translated code on this page is no longer what it was. */
  codeChanged(page: number): void;
  /** The kernel stored to persistent memory (a read(2) into it, say). */
  persistentStore(address: number, length: number): void;
  /** It stored to other memory. */
  kernelStored(address: number, length: number): void;
  /** What a page held is gone. */
  forgotten(page: number): void;
  /** The page is about to hold zeros, or nothing; its mapping is still there. */
  emptied(page: number): void;
  /** The kernel reads or overwrites watched memory for the guest. */
  watchedUsed(what: "watchRead" | "watchWrite", address: number, length: number): void;
  /** Other pages that show the same file page. */
  aliasesOf(page: number): readonly number[];
  /** A page is used that is not there; true: now it is. */
  appear(page: number): boolean;
}

const noHooks: MemoryHooks = {
  codeChanged: () => {},
  persistentStore: () => {},
  kernelStored: () => {},
  forgotten: () => {},
  emptied: () => {},
  watchedUsed: () => {},
  aliasesOf: () => [],
  appear: () => false,
};

const protections = info.read | info.write | info.execute;
const watchedReads = info.read | info.watched;
/** Kept at most, 16 MiB. */
const sparePages = 4096;

/**
 * V8 does not count a machine's memory (base/module-memory.ts), so nothing would tell it of machines that are gone: in a process
 * that makes many, each further one lets go of bytes that do count and that nobody touches.
 */
const countedBytes = 64 << 20;
const machinesUnremarked = 4;
let machines = 0;
function remindCollector(): void {
  if (++machines > machinesUnremarked) void new ArrayBuffer(countedBytes);
}

/** Copied where a page is cleared: V8 fills memory that is declared as shared byte by byte, which takes ten times as long. */
const zeroPage = new Uint8Array(pageSize);

export class GuestMemory {
  readonly wasm: WebAssembly.Memory;
  readonly bytes: Uint8Array;
  readonly view: DataView;
  hooks: MemoryHooks = noHooks;
  readonly #fast: Uint8Array;
  readonly #info: Uint16Array;
  /** 1: the page may hold something other than zeros. */
  readonly #touched = new Uint8Array(pages);
  #dirty: number[] = [];
  /** Copies of pages that nothing needs any more, to be used again. */
  readonly #spare: Uint8Array[] = [];
  #mappedPages = 0;
  #peakPages = 0;
  /** Bits of `pageFast` that no page has for now. */
  #withheld = 0;
  readonly #versions: Versions;

  constructor() {
    this.wasm = createMemory(memoryPages64K);
    remindCollector();
    this.bytes = new Uint8Array(this.wasm.buffer);
    this.view = new DataView(this.wasm.buffer);
    this.#fast = this.bytes.subarray(layout.pageFast, layout.pageFast + pages);
    this.#info = new Uint16Array(this.wasm.buffer, layout.pageInfo, pages);
    this.#versions = new Versions({
      record: (page) => this.#record(page),
      restore: (page, was) => this.#reinstate(page, was),
      restoreAll: (pages) => this.#reinstateAll(pages),
    });
  }

  get mappedPages(): number {
    return this.#mappedPages;
  }
  get peakPages(): number {
    return this.#peakPages;
  }

  // ── Mapping ─────────────────────────────────────────────────────────────────────────────────────────────────

  #pages(start: number, length: number): readonly [number, number] {
    assert(start % pageSize === 0 && length >= 0, "memory: mappings are whole pages");
    assert(
      start >= layout.guestStart && start + length <= layout.guestEnd,
      "memory: mappings lie in the guest's range",
    );
    return [start >>> pageBits, Math.ceil((start + length) / pageSize)];
  }

  /** Maps zeroed pages, replacing whatever was there. */
  map(start: number, length: number, protection: number): void {
    const [first, end] = this.#pages(start, length);
    assert((protection & ~protections) === 0, "memory: a protection is made of read, write and execute");
    for (let page = first; page < end; page++) {
      this.#forget(page);
      if (this.#info[page] === 0) this.#mappedPages++;
      this.#info[page] = protection | info.clean;
    }
    assert(this.#mappedPages <= this.#info.length, "memory: there are no more pages than addresses");
    this.#peakPages = Math.max(this.#peakPages, this.#mappedPages);
    this.#refresh(first, end);
  }

  unmap(start: number, length: number): void {
    const [first, end] = this.#pages(start, length);
    const before = this.#mappedPages;
    for (let page = first; page < end; page++) {
      if (this.#info[page] === 0) continue;
      this.#forget(page);
      this.#info[page] = 0;
      this.#mappedPages--;
    }
    assert(this.#mappedPages >= 0, "memory: a page is unmapped once");
    if (this.#mappedPages < before) this.#refresh(first, end);
  }

  /** The first addresses in [start, end), whole pages, that are not mapped; empty at `end` when all are. */
  nextUnmapped(start: number, end: number): readonly [number, number] {
    const last = end / pageSize;
    let first = start / pageSize;
    while (first < last && this.#info[first] !== 0) first++;
    let next = first;
    while (next < last && this.#info[next] === 0) next++;
    return [first * pageSize, next * pageSize];
  }

  /** The page's contents are gone: saved for the snapshot, zeroed, its translations dropped. */
  #forget(page: number): void {
    this.#versions.save(page);
    if (this.#info[page]! & info.code) this.hooks.codeChanged(page);
    if (this.#info[page] !== 0) this.hooks.emptied(page);
    if (!this.#touched[page]) return;
    this.hooks.forgotten(page);
    const at = page * pageSize;
    this.bytes.set(zeroPage, at);
    this.#touched[page] = 0;
  }

  protect(start: number, length: number, protection: number): void {
    assert((protection & ~protections) === 0, "memory: a protection is made of read, write and execute");
    this.#change(start, length, (was) => (was & ~protections) | protection);
  }
  /** Sets or clears `info` bits of mapped pages. */
  setBits(start: number, length: number, bits: number, on: boolean): void {
    assert(
      (bits & (protections | info.clean | info.asInFile)) === 0,
      "memory: bits say what a page is, not what may be done to it",
    );
    this.#change(start, length, (was) => (on ? was | bits : was & ~bits));
  }
  #change(start: number, length: number, update: (was: number) => number): void {
    const [first, end] = this.#pages(start, length);
    for (let page = first; page < end; page++) {
      const was = this.#info[page]!;
      if (was === 0) continue;
      const now = update(was);
      if (now === was) continue;
      // Who may change it is another now, or it may not be run any more.
      if (was & info.code && ((was ^ now) & info.shared || !(now & info.execute))) this.hooks.codeChanged(page);
      if ((was ^ now) & info.shared) this.hooks.forgotten(page);
      this.#versions.save(page);
      this.#info[page] = now === 0 ? info.clean : now;
    }
    this.#refresh(first, end);
  }

  /**
   * Translated code lies on this page from now on: stores to it are noticed, also where it is mapped a second time. All
   * these pages are returned. Not part of the guest's state.
   */
  markCode(page: number): readonly number[] {
    const pages = this.#info[page]! & info.shared ? [page, ...this.hooks.aliasesOf(page)] : [page];
    for (const one of pages) {
      assert(this.#info[one] !== 0, "memory: code lies on mapped pages");
      this.#info[one]! |= info.code;
      this.#refresh(one, one + 1);
    }
    return pages;
  }
  clearCode(page: number): void {
    this.#info[page]! &= ~info.code;
    this.#refresh(page, page + 1);
  }

  /** Recomputes `pageFast` for [first, end) and for the page before, whose read bit vouches for its successor. */
  #refresh(first: number, end: number): void {
    const readable = (page: number) => (this.#info[page]! & (info.read | info.watched)) === info.read;
    for (let page = Math.max(0, first - 1); page < end; page++) {
      const is = this.#info[page]!;
      const slow = info.persistent | info.code | info.clean | info.shared | info.watched;
      const both = info.read | info.write;
      const write = (is & (both | slow)) === both ? fast.write : 0;
      const read = readable(page) ? fast.readAlone | (readable(page + 1) ? fast.read : 0) : 0;
      const watched = this.#withheld === 0 && (is & watchedReads) === watchedReads ? fast.watched : 0;
      this.#fast[page] = ((write | read) & ~this.#withheld) | watched;
    }
  }

  /** From now on no page has these bits of `pageFast`; `ranges` are all that is mapped. */
  withhold(bits: number, ranges: Iterable<{ readonly start: number; readonly end: number }>): void {
    this.#withheld = bits;
    for (const { start, end } of ranges) this.#refresh(start >>> pageBits, end >>> pageBits);
  }
  get withheld(): number {
    return this.#withheld;
  }

  infoOf(page: number): number {
    return this.#info[page]!;
  }
  /** False: the page is all zero. */
  isTouched(page: number): boolean {
    return this.#touched[page] === 1;
  }
  /** The first page in [from, end) that may hold something other than zeros. */
  nextTouched(from: number, end: number): number | undefined {
    const page = from < end ? this.#touched.subarray(from, end).indexOf(1) : -1;
    return page < 0 ? undefined : from + page;
  }

  // ── Stores that need care ───────────────────────────────────────────────────────────────────────────────────

  /** Before the first store to a clean page: save it for the snapshot, let later stores go straight through. */
  touch(page: number): void {
    if (!(this.#info[page]! & info.clean)) return;
    this.#versions.save(page);
    this.#info[page]! &= ~(info.clean | info.asInFile);
    this.#touched[page] = 1;
    this.#dirty.push(page);
    this.#refresh(page, page + 1);
  }

  /** A page that was just filled with zeros is as if it had never been stored to. */
  untouch(page: number): void {
    this.hooks.forgotten(page);
    this.hooks.emptied(page);
    this.#touched[page] = 0;
    this.#info[page]! |= info.clean;
    this.#refresh(page, page + 1);
  }

  /** These pages are what their file has, until the first store to them. */
  isAsInFile(start: number, length: number): void {
    const [first, end] = this.#pages(start, length);
    for (let page = first; page < end; page++) {
      this.#versions.save(page);
      this.#info[page]! |= info.clean | info.asInFile;
    }
    this.#refresh(first, end);
  }

  /** All that must happen before bytes of this page change, whoever changes them. */
  prepareStore(page: number): void {
    this.touch(page);
    if (this.#info[page]! & info.code) this.hooks.codeChanged(page);
  }

  // ── The kernel's view ───────────────────────────────────────────────────────────────────────────────────────

  #allowed(address: number, length: number, bit: number): boolean {
    if (length === 0) return true;
    if (!(address >= 0 && address + length <= layout.guestEnd)) return false;
    for (let page = address >>> pageBits; page * pageSize < address + length; page++) {
      if (this.#info[page] === 0) this.hooks.appear(page);
      if (!(this.#info[page]! & bit)) return false;
    }
    return true;
  }
  /** As `#allowed`, and the bytes are used now. */
  #use(address: number, length: number, bit: number): boolean {
    if (!this.#allowed(address, length, bit)) return false;
    // An empty range may lie anywhere, also where there are no pages.
    if (length === 0) return true;
    for (let page = address >>> pageBits; page * pageSize < address + length; page++)
      if (this.#info[page]! & info.watched) {
        this.hooks.watchedUsed(bit === info.read ? "watchRead" : "watchWrite", address, length);
        break;
      }
    return true;
  }
  canRead(address: number, length: number): boolean {
    return this.#allowed(address, length, info.read);
  }
  canWrite(address: number, length: number): boolean {
    return this.#allowed(address, length, info.write);
  }

  /** A copy of guest bytes; undefined if any of them may not be read (EFAULT). */
  read(address: number, length: number): Uint8Array | undefined {
    return this.#use(address, length, info.read) ? this.bytes.slice(address, address + length) : undefined;
  }
  /** False if any byte may not be written (EFAULT): then nothing is. */
  write(address: number, bytes: Uint8Array): boolean {
    if (!this.#use(address, bytes.length, info.write)) return false;
    this.load(address, bytes);
    return true;
  }
  /** Stores whatever the protection says: for loaders and file mappings. */
  load(address: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    if (this.put(address, bytes)) this.hooks.persistentStore(address, bytes.length);
    else this.hooks.kernelStored(address, bytes.length);
  }
  /** As `load`, where a file call changed what a mapping shows: the files tell of that themselves. */
  overwrite(address: number, bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.put(address, bytes);
    this.hooks.kernelStored(address, bytes.length);
  }
  /** As `load`, and nobody is told; whether the bytes are persistent memory's. */
  put(address: number, bytes: Uint8Array): boolean {
    assert(address >= 0 && address + bytes.length <= layout.guestEnd, "memory: loads lie in the guest's range");
    const last = (address + bytes.length - 1) >>> pageBits;
    let persistent = false;
    for (let page = address >>> pageBits; page <= last; page++) {
      this.prepareStore(page);
      persistent ||= (this.#info[page]! & info.persistent) !== 0;
      if (this.#info[page]! & info.shared) this.#loadAliases(page, address, bytes);
    }
    this.bytes.set(bytes, address);
    return persistent;
  }
  #loadAliases(page: number, address: number, bytes: Uint8Array): void {
    const from = Math.max(address, page * pageSize);
    const to = Math.min(address + bytes.length, (page + 1) * pageSize);
    for (const alias of this.hooks.aliasesOf(page)) {
      assert(alias !== page && this.#info[alias] !== 0, "memory: an alias is another page that is mapped");
      this.prepareStore(alias);
      this.bytes.set(bytes.subarray(from - address, to - address), alias * pageSize + (from % pageSize));
    }
  }

  readU32(address: number): number | undefined {
    return this.#use(address, 4, info.read) ? this.view.getUint32(address, true) : undefined;
  }
  readU64(address: number): bigint | undefined {
    return this.#use(address, 8, info.read) ? this.view.getBigUint64(address, true) : undefined;
  }
  writeU32(address: number, value: number): boolean {
    const bytes = new Uint8Array(4);
    new DataView(bytes.buffer).setUint32(0, value, true);
    return this.write(address, bytes);
  }
  writeU64(address: number, value: bigint): boolean {
    const bytes = new Uint8Array(8);
    new DataView(bytes.buffer).setBigUint64(0, value, true);
    return this.write(address, bytes);
  }
  /** The bytes before the next NUL; undefined for a fault, "long" if there is none within `max`. */
  readCString(address: number, max: number): Uint8Array | "long" | undefined {
    for (let length = 0; length < max; length++) {
      if ((length === 0 || (address + length) % pageSize === 0) && !this.canRead(address + length, 1)) return undefined;
      if (this.bytes[address + length] === 0) return this.read(address, length + 1)!.subarray(0, length);
    }
    return "long";
  }

  // ── Snapshots ───────────────────────────────────────────────────────────────────────────────────────────────

  #record(page: number): PageRecord {
    return { info: this.#info[page]! & ~info.code, bytes: this.#touched[page] ? this.#copyOf(page) : undefined };
  }
  #copyOf(page: number): Uint8Array {
    const contents = this.bytes.subarray(page * pageSize, (page + 1) * pageSize);
    const copy = this.#spare.pop();
    if (copy === undefined) return contents.slice();
    copy.set(contents);
    return copy;
  }
  #reinstate(page: number, was: PageRecord): void {
    const now = this.#info[page]!;
    assert(was.bytes === undefined || was.bytes.length === pageSize, "memory: a saved page is a whole page");
    if (now & info.code) this.hooks.codeChanged(page);
    if ((now === 0) !== (was.info === 0)) this.#mappedPages += was.info === 0 ? -1 : 1;
    const at = page * pageSize;
    if (was.bytes) {
      this.bytes.set(was.bytes, at);
      if (this.#spare.length < sparePages) this.#spare.push(was.bytes);
    } else if (this.#touched[page]) this.bytes.set(zeroPage, at);
    this.#touched[page] = was.bytes ? 1 : 0;
    this.#info[page] = was.info === 0 ? 0 : was.info | info.clean;
    this.#refresh(page, page + 1);
  }
  /** Mostly only a page's contents have changed: beside them there is only the next store to notice. */
  #reinstateAll(pages: ReadonlyMap<number, PageRecord>): void {
    const [bytes, infos, fasts, touched, spare] = [this.bytes, this.#info, this.#fast, this.#touched, this.#spare];
    pages.forEach((was, page) => {
      const now = infos[page]!;
      if (was.bytes === undefined || now === 0 || ((now ^ was.info) & ~(info.clean | info.asInFile)) !== 0) {
        this.#reinstate(page, was);
        return;
      }
      bytes.set(was.bytes, page * pageSize);
      if (spare.length < sparePages) spare.push(was.bytes);
      touched[page] = 1;
      infos[page] = was.info | info.clean;
      fasts[page]! &= ~fast.write;
    });
  }

  snapshot(): Version {
    for (const page of this.#dirty) if (this.#info[page] !== 0) this.#info[page]! |= info.clean;
    for (const page of this.#dirty) this.#refresh(page, page + 1);
    this.#dirty = [];
    return this.#versions.take();
  }
  restore(version: Version): void {
    this.#versions.restore(version);
    this.#dirty = [];
  }
  /** By address, pages that changed since the newest snapshot, which this is. */
  changesSince({ pages, toward }: Version): ReadonlyMap<number, PageChange> {
    assert(toward === undefined, "memory: changes are those since the newest snapshot");
    const changeOf = ([page, was]: readonly [number, PageRecord]): readonly [number, PageChange] => {
      const from = page * pageSize;
      const before = was.bytes?.slice() ?? new Uint8Array(pageSize);
      return [from, { before, now: this.bytes.slice(from, from + pageSize) }];
    };
    return new Map([...pages].map(changeOf));
  }
  release(version: Version): void {
    this.#versions.release(version);
  }
  /** Whether every page is as it was at the newest snapshot. */
  isAsAt(version: Version): boolean {
    assert(version.toward === undefined, "memory: what is compared is the newest snapshot");
    const isSame = ([page, was]: readonly [number, PageRecord]): boolean => {
      if (((this.#info[page]! ^ was.info) & protections) !== 0) return false;
      const now = this.bytes.subarray(page * pageSize, (page + 1) * pageSize);
      return was.bytes === undefined ? now.every((byte) => byte === 0) : Buffer.compare(now, was.bytes) === 0;
    };
    return [...version.pages].every(isSame);
  }
}
