/**
 * Tells what a run uses of watched files: the words it reads of their contents, whether mapped or by file calls, and the
 * names it looks up. Always:
 * - Uses come in the order the guest makes them, each word once, unless its mapping went in between.
 * - A word of which the guest read only what it had overwritten before is not told.
 */
import { assert } from "../../base/index.ts";
import type { FileUses, InodeId } from "../files/index.ts";
import type { Kernel } from "../kernel/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import {
  cell,
  cpuAddress,
  highHalf,
  layout,
  lowHalf,
  overwritten,
  pageBits,
  pageSize,
  type Runtime,
} from "../runtime/index.ts";

/** Strings are byte strings, as the guest has them. */
export interface WatchOptions {
  /** Asked when a file is mapped, and when its contents are read or changed by a call. */
  isWatched(pool: string): boolean;
  /** Aligned eight bytes of a file, by their number; with `halves`, the four of them that are read. */
  words(pool: string, numbers: Int32Array): void;
  /** Aligned four bytes of a file are told, in place of eight. */
  readonly halves?: true;
  name(name: string): void;
  /** A directory is read. */
  listing(): void;
}

const wordBits = 3;
const wordBytes = 1 << wordBits;
const halfBytes = 4;
/** Guest bytes for each byte of `used`. */
const bytesPerCell = 32;
const cellsPerPage = pageSize / bytesPerCell;
/** Copied, as GuestMemory's zeros are. */
const unusedPage = new Uint8Array(cellsPerPage);

export class Watcher implements FileUses {
  readonly #memory: GuestMemory;
  readonly #used: Uint8Array;
  /** Addresses of words in the order of their first use. */
  readonly #uses: Uint32Array;
  /** Numbers of words while they are told. */
  readonly #numbers = new Int32Array((2 * (layout.usesEnd - layout.uses)) / 4);
  #kernel: Kernel | undefined;
  #runtime: Runtime | undefined;
  #options: WatchOptions | undefined;
  /** Pages of which uses were drained since a run began, or since a mapping went. */
  readonly #usedPages = new Set<number>();
  /** While a run is to stop before its first use: which names count as one. */
  #stopsAtName: ((name: string) => boolean) | undefined;
  /** Told of all files that calls read and change. */
  calls: Pick<FileUses, "read" | "changed"> | undefined;
  /** Something was used although the run was to stop before it. */
  met = false;

  constructor(memory: GuestMemory) {
    this.#memory = memory;
    this.#used = memory.bytes.subarray(layout.used, layout.used + layout.guestEnd / bytesPerCell);
    this.#uses = new Uint32Array(memory.wasm.buffer, layout.uses, (layout.usesEnd - layout.uses) / 4);
    this.#set(cell.useNext, layout.uses);
  }

  begin(kernel: Kernel, runtime: Runtime): void {
    this.#kernel = kernel;
    this.#runtime = runtime;
  }

  #set(offset: number, value: number): void {
    this.#memory.view.setUint32(cpuAddress(offset), value, true);
  }

  /** A run begins, whose uses are wanted; undefined: nobody wants to know any more. */
  watch(options: WatchOptions | undefined): void {
    this.drain();
    this.#forget();
    this.#options = options;
  }

  get stopping(): boolean {
    return this.#stopsAtName !== undefined;
  }
  stopBeforeUse(stopsAtName: ((name: string) => boolean) | undefined): void {
    this.#stopsAtName = stopsAtName;
    this.met = false;
    this.#set(cell.stopAtUse, stopsAtName === undefined ? 0 : 1);
  }

  isWatched(inode: InodeId): boolean {
    return this.#options?.isWatched(this.#kernel!.poolName(inode)) ?? false;
  }

  // ── Words in memory ─────────────────────────────────────────────────────────────────────────────────────────

  /** The kernel reads watched memory, or overwrites it, for the guest. */
  memoryUsed(what: "watchRead" | "watchWrite", address: number, length: number): void {
    assert(this.#runtime !== undefined, "watcher: watched memory is used while a program is loaded");
    if (this.stopping) this.met = true;
    else (this.#runtime.exports[what] as (address: number, length: number) => void)(address, length);
  }

  /** Tells of the words noted since this was last called. */
  readonly drain = (): void => {
    const end = (this.#memory.view.getUint32(cpuAddress(cell.useNext), true) - layout.uses) / 4;
    this.#set(cell.useNext, layout.uses);
    for (let at = 0; at < end; ) at = this.#drainArea(at, end);
  };

  /** Every word is told again when it is used again. */
  #forget(): void {
    for (const page of this.#usedPages) this.#used.set(unusedPage, page * cellsPerPage);
    this.#usedPages.clear();
  }

  /** Words of one mapping that stand together; returns where the others begin. */
  #drainArea(from: number, end: number): number {
    const uses = this.#uses;
    const area = this.#kernel?.areaAt(uses[from]!);
    this.#usedPages.add(uses[from]! >>> pageBits);
    if (area?.file === undefined) return from + 1;
    const { start } = area;
    const length = area.end - start;
    const firstWord = area.file.offset / wordBytes;
    const inHalves = this.#options?.halves === true;
    const numbers = this.#numbers;
    let count = 0;
    let at = from;
    let page = uses[from]! >>> pageBits;
    for (; at < end; at++) {
      const note = uses[at]!;
      // As unsigned numbers, so that what lies before the area lies far behind it.
      const offset = (note - start) >>> 0;
      if (offset >= length) break;
      if (note >>> pageBits !== page) {
        page = note >>> pageBits;
        this.#usedPages.add(page);
      }
      if ((note & overwritten) !== 0) continue;
      const word = firstWord + (offset >>> wordBits);
      if (!inHalves) numbers[count++] = word;
      else {
        if ((note & lowHalf) !== 0) numbers[count++] = 2 * word;
        if ((note & highHalf) !== 0) numbers[count++] = 2 * word + 1;
      }
    }
    this.#tell(area.file.inode, numbers.subarray(0, count));
    return at;
  }

  #tell(inode: InodeId, numbers: Int32Array): void {
    if (numbers.length > 0 && this.isWatched(inode)) this.#options?.words(this.#kernel!.poolName(inode), numbers);
  }

  // ── Calls ───────────────────────────────────────────────────────────────────────────────────────────────────

  read(inode: InodeId, offset: number, length: number): void {
    this.calls?.read(inode, offset, length);
    if (length === 0 || !this.isWatched(inode)) return;
    if (this.stopping) this.met = true;
    this.drain();
    const size = this.#options?.halves === true ? halfBytes : wordBytes;
    const first = Math.floor(offset / size);
    const count = Math.ceil((offset + length) / size) - first;
    this.#tell(
      inode,
      Int32Array.from({ length: count }, (_, i) => first + i),
    );
  }

  changed(inode: InodeId): void {
    this.calls?.changed(inode);
    if (this.stopping && this.isWatched(inode)) this.met = true;
  }

  renamed(inode: InodeId): void {
    if (this.#options === undefined) return;
    if (this.stopping) this.met = true;
    // By whatever name it is found next, or by none: what it holds is what the crash left of the pool that it was.
    this.#kernel!.namePool(inode);
  }

  looked(name: string): void {
    if (this.#options === undefined) return;
    if (this.#stopsAtName?.(name)) this.met = true;
    this.drain();
    this.#options.name(name);
  }

  listed(): void {
    if (this.#options === undefined) return;
    if (this.stopping) this.met = true;
    this.drain();
    this.#options.listing();
  }

  /** A mapping goes: what was used of it is told while it is known where it lay. */
  unmapped(): void {
    if (this.#options === undefined) return;
    this.drain();
    this.#forget();
  }
}
