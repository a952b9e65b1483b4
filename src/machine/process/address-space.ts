/**
 * The process's address space: mappings, program break and their protections, as mmap(2), brk(2) and kin see them.
 * Always:
 * - The list of areas and guest memory's page permissions say the same where a page is there (file-pages.ts).
 * - Addresses are chosen from the top down and depend on nothing but the calls made so far.
 * Results are addresses or negative error numbers.
 */

import { errno, type GuestFiles, type InodeId } from "../files/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import { layout, pageSize } from "../runtime/index.ts";
import {
  type Area,
  type Areas,
  areaAt,
  areasMax,
  clip,
  covers,
  highestGap,
  isFree,
  listAreas,
  noAreas,
  piecesIn,
  replace,
  sizeOf,
} from "./areas.ts";
import { FilePages } from "./file-pages.ts";
import { type PoolNames, poolNameOf } from "./pool-names.ts";

export interface AddressSpaceState {
  readonly areas: Areas;
  readonly breakStart: number;
  readonly breakEnd: number;
  readonly peakBytes: number;
  readonly poolNames: PoolNames;
  /** Files that were mapped as persistent memory. */
  readonly pools: ReadonlySet<InodeId>;
}

export interface MapRequest {
  /** 0, a wish, or with `fixed` an order. */
  readonly address: number;
  readonly length: number;
  readonly protection: number;
  readonly ceiling?: number;
  readonly shared?: boolean;
  readonly fixed?: "replace" | "no-replace" | undefined;
  readonly file?: { readonly inode: InodeId; readonly offset: number };
  readonly name?: string;
}

export interface AddressSpaceOptions {
  /** Bytes that may be mapped at once; beyond: ENOMEM. */
  readonly limitBytes: number;
  /** Whether stores through a writable shared mapping of this file are persistent-memory events. */
  isPersistent(path: string): boolean;
  /** Whether uses of this file's pages are noted. */
  isWatched(inode: InodeId): boolean;
  /** Persistent memory appears, goes, or is flushed by msync. */
  persistentChanged(what: "map" | "unmap" | "sync", start: number, length: number, pool: string, offset: number): void;
  /** A call left bytes, or so many zeros, in a file that was mapped as persistent memory. */
  persistentWritten(pool: string, offset: number, written: Uint8Array | number): void;
  /** So was this file, of which no mapping is left, and what was stored to it is safe. */
  persistentSynced(pool: string): void;
  /** Watched memory is about to go. */
  watchedGoes(): void;
  limitReached(bytes: number): void;
}

/** New mappings lie below this. The stack is above, with a guard no usual frame jumps over (Linux leaves 128 MiB). */
const MAP_TOP = 0xeb60_0000;
const PROT_EXEC = 4;
const emptyState: AddressSpaceState = {
  areas: noAreas,
  breakStart: 0,
  breakEnd: 0,
  peakBytes: 0,
  poolNames: { known: new Map(), gone: new Set() },
  pools: new Set(),
};
export const pageDown = (address: number): number => address - (address % pageSize);
export const pageUp = (address: number): number => Math.ceil(address / pageSize) * pageSize;

export class AddressSpace {
  readonly pages: FilePages;
  readonly #memory: GuestMemory;
  readonly #files: () => GuestFiles;
  readonly #options: AddressSpaceOptions;
  #state = emptyState;

  constructor(memory: GuestMemory, files: () => GuestFiles, options: AddressSpaceOptions) {
    this.#memory = memory;
    this.#files = files;
    this.#options = options;
    this.pages = new FilePages(
      memory,
      files,
      () => this.#state.areas,
      (...written) => this.#tell(...written),
    );
  }

  get state(): AddressSpaceState {
    return this.#state;
  }
  /** For restoring a snapshot: memory and files are restored by their own. */
  set state(state: AddressSpaceState) {
    this.#state = state;
  }
  areaAt(address: number): Area | undefined {
    return areaAt(this.#state.areas, address);
  }

  // ── Mapping ─────────────────────────────────────────────────────────────────────────────────────────────────

  map(request: MapRequest): number {
    const length = pageUp(request.length);
    const start = this.#place(request, length);
    if (start < 0) return start;
    if (this.#isFull || !this.#fits(length, start, start + length)) return -errno.ENOMEM;
    this.#drop(start, start + length);
    this.#establish(this.#areaOf(request, start, start + length));
    return start;
  }

  #place({ address, fixed }: MapRequest, length: number): number {
    const { areas } = this.#state;
    const inRange = address >= layout.guestStart && address + length <= layout.guestEnd;
    if (fixed !== undefined) {
      if (address % pageSize !== 0) return -errno.EINVAL;
      if (!inRange) return address < layout.guestStart ? -errno.EPERM : -errno.ENOMEM;
      return fixed === "no-replace" && !isFree(areas, address, address + length) ? -errno.EEXIST : address;
    }
    const wish = pageUp(address);
    if (address > 0 && inRange && wish + length <= MAP_TOP && isFree(areas, wish, wish + length)) return wish;
    return highestGap(areas, layout.guestStart, MAP_TOP, length) ?? -errno.ENOMEM;
  }

  #fits(length: number, start: number, end: number): boolean {
    const replaced = sizeOf(piecesIn(this.#state.areas, start, end));
    if (this.#state.areas.bytes - replaced + length <= this.#options.limitBytes) return true;
    this.#options.limitReached(this.#options.limitBytes);
    return false;
  }

  #areaOf(request: MapRequest, start: number, end: number): Area {
    const { protection, ceiling = 7, shared = false, file, name } = request;
    const persistent =
      shared &&
      file !== undefined &&
      (ceiling & 2) !== 0 &&
      this.#options.isPersistent(this.#files().pathOf(file.inode));
    const watched = file !== undefined && this.#options.isWatched(file.inode);
    return { start, end, protection, ceiling, shared, file, name, persistent, watched };
  }

  /** Makes an area real: the list, page permissions, contents, which may come from where it was. Its range is free. */
  #establish(area: Area, from?: Area): void {
    if (area.file !== undefined && !this.#mapsFile(area.file.inode)) this.#files().retain(area.file.inode);
    const before = this.#state.areas;
    this.#setAreas(replace(before, area.start, area.end, [area]));
    this.pages.views.replaced(before, this.#state.areas, [], area);
    if (from === undefined) this.pages.populate(area);
    else this.pages.move(from, area);
    if (area.persistent) this.#announce("map", area);
  }

  /** Empties a range. With `keep`, contents have moved elsewhere and are not handed back to the file. */
  #drop(start: number, end: number, keep = false): number {
    const pieces = piecesIn(this.#state.areas, start, end);
    if (pieces.length === 0) return 0;
    let result = 0;
    for (const piece of pieces) {
      if (piece.persistent) this.#announce("unmap", piece);
      if (piece.watched) this.#options.watchedGoes();
      if (!keep) result = Math.min(result, this.pages.writeBack(piece));
    }
    const shared = pieces.flatMap((piece) => this.pages.sharedPages(piece));
    this.#memory.unmap(start, end - start);
    this.pages.unshare(shared);
    const before = this.#state.areas;
    this.#setAreas(replace(before, start, end, []));
    this.pages.views.replaced(before, this.#state.areas, pieces);
    const inodes = new Set(pieces.flatMap(({ file }) => (file === undefined ? [] : [file.inode])));
    for (const inode of inodes) if (!this.#mapsFile(inode)) this.#files().release(inode);
    return result;
  }

  #mapsFile(inode: InodeId): boolean {
    return this.pages.views.of(this.#state.areas, inode).length > 0;
  }

  /** Whether an area more would be more than Linux allows. */
  get #isFull(): boolean {
    return this.#state.areas.count >= areasMax;
  }

  #setAreas(areas: Areas): void {
    this.#state = { ...this.#state, areas, peakBytes: Math.max(this.#state.peakBytes, areas.bytes) };
  }

  #announce(what: "map" | "unmap" | "sync", area: Area): void {
    const { inode, offset } = area.file!;
    if (what === "map" && !this.#state.pools.has(inode)) {
      this.namePool(inode);
      this.#state = { ...this.#state, pools: new Set(this.#state.pools).add(inode) };
    }
    this.#options.persistentChanged(what, area.start, area.end - area.start, this.poolName(inode), offset);
  }

  #tell(inode: InodeId, offset: number, written: Uint8Array | number): void {
    if (this.#state.pools.has(inode)) this.#options.persistentWritten(this.poolName(inode), offset, written);
  }

  // ── Names of pools ──────────────────────────────────────────────────────────────────────────────────────────

  poolName(inode: InodeId): string {
    const { poolNames } = this.#state;
    return poolNames.known.get(inode) ?? poolNameOf(poolNames, inode, this.#files().pathOf(inode));
  }

  /** No file gets this name. */
  losePool(name: string): void {
    const { known, gone } = this.#state.poolNames;
    if (!gone.has(name)) this.setPoolNames({ known, gone: new Set(gone).add(name) });
  }

  /** The name that a file has, or that it has from here on. */
  namePool(inode: InodeId, name = this.poolName(inode)): void {
    const { known, gone } = this.#state.poolNames;
    if (known.get(inode) !== name) this.setPoolNames({ known: new Map(known).set(inode, name), gone });
  }

  setPoolNames(poolNames: PoolNames): void {
    this.#state = { ...this.#state, poolNames };
  }

  unmap(start: number, length: number): number {
    const end = start + pageUp(length);
    if (start % pageSize !== 0 || length === 0 || end > 2 ** 47) return -errno.EINVAL;
    const [from, to] = [Math.max(start, layout.guestStart), Math.min(end, layout.guestEnd)];
    if (from >= to) return 0;
    const area = this.areaAt(from);
    if (this.#isFull && area !== undefined && area.start < from && to < area.end) return -errno.ENOMEM;
    this.#drop(from, to);
    return 0;
  }

  /** Hands all shared mappings back to their files; for the end of the process. */
  writeBack(): void {
    for (const area of listAreas(this.#state.areas)) this.pages.writeBack(area);
  }

  protect(start: number, length: number, protection: number): number {
    const end = start + pageUp(length);
    if (start % pageSize !== 0) return -errno.EINVAL;
    if (length === 0) return 0;
    const changed: Area[] = [];
    let result = 0;
    let at = start;
    for (const piece of piecesIn(this.#state.areas, start, end)) {
      if (piece.start !== at) break;
      if ((protection & ~piece.ceiling) !== 0) {
        result = -errno.EACCES;
        break;
      }
      changed.push({ ...piece, protection });
      at = piece.end;
    }
    if (changed.length > 0) {
      const { areas } = this.#state;
      const split = replace(areas, start, at, changed);
      if (split.count > areasMax && split.count > areas.count) return -errno.ENOMEM;
      this.#setAreas(split);
      this.pages.views.protected(areas, split);
      this.#memory.protect(start, at - start, protection);
      if ((protection & PROT_EXEC) !== 0) for (const piece of changed) this.pages.populate(piece);
    }
    return result === 0 && at !== end ? -errno.ENOMEM : result;
  }

  // ── Moving and growing ──────────────────────────────────────────────────────────────────────────────────────

  /** mremap(2). `to`: undefined grows in place, "anywhere" may move, an address must move there. */
  remap(start: number, oldLength: number, newLength: number, to: number | "anywhere" | undefined): number {
    const [had, wants] = [pageUp(oldLength), pageUp(newLength)];
    if (start % pageSize !== 0 || wants === 0) return -errno.EINVAL;
    const area = this.areaAt(start);
    if (area === undefined || start + had > area.end) return -errno.EFAULT;
    if (had === 0) return -errno.EINVAL;
    if (typeof to !== "number") {
      if (wants < had) this.#drop(start + wants, start + had);
      if (wants <= had) return start;
      if (this.#growInPlace(area, start, had, wants)) return start;
      if (to === undefined) return -errno.ENOMEM;
    }
    return this.#move(clip(area, start, start + had), wants, to);
  }

  #growInPlace(area: Area, start: number, had: number, wants: number): boolean {
    const [end, top] = [start + had, start + wants];
    if (end !== area.end || top > MAP_TOP || !isFree(this.#state.areas, end, top)) return false;
    if (!this.#fits(wants - had, end, top)) return false;
    const file = area.file && { inode: area.file.inode, offset: area.file.offset + (end - area.start) };
    this.#establish({ ...area, start: end, end: top, file });
    return true;
  }

  #move(from: Area, wants: number, to: number | "anywhere"): number {
    const fixed = to === "anywhere" ? {} : ({ address: to, fixed: "replace" } as const);
    const request: MapRequest = { address: 0, length: wants, protection: from.protection, ...fixed };
    const target = this.#place(request, wants);
    if (target < 0) return target;
    if (target < from.end && from.start < target + wants) return -errno.EINVAL;
    if (this.#isFull || !this.#fits(wants, target, target + wants)) return -errno.ENOMEM;
    this.#drop(target, target + wants);
    this.#establish({ ...from, start: target, end: target + wants }, from);
    this.#drop(from.start, from.end, true);
    return target;
  }

  /** Where the break starts, once the program is loaded. */
  startBreak(address: number): void {
    this.#state = { ...this.#state, breakStart: address, breakEnd: address };
  }

  /** brk(2): the new break, or the old one when it cannot be. */
  setBreak(address: number): number {
    const { breakStart, breakEnd, areas } = this.#state;
    if (address < breakStart || address > MAP_TOP) return breakEnd;
    const [was, now] = [pageUp(breakEnd), pageUp(address)];
    if (now > was) {
      if (!isFree(areas, was, now + pageSize) || !this.#fits(now - was, was, now)) return breakEnd;
      const shape = { protection: 3, ceiling: 7, shared: false, file: undefined, name: "[heap]" } as const;
      this.#establish({ start: was, end: now, ...shape, persistent: false, watched: false });
    } else if (now < was) this.#drop(now, was);
    this.#state = { ...this.#state, breakEnd: address };
    return address;
  }

  // ── Contents ────────────────────────────────────────────────────────────────────────────────────────────────

  /** msync(2): hands shared pages back to their files; only MS_SYNC waits until they are safe. */
  sync(start: number, length: number, waits: boolean): number {
    const end = start + pageUp(length);
    let result = 0;
    for (const piece of piecesIn(this.#state.areas, start, end)) {
      result = Math.min(result, this.pages.writeBack(piece));
      if (piece.persistent && waits) this.#announce("sync", piece);
    }
    return result < 0 ? result : covers(this.#state.areas, start, end) ? 0 : -errno.ENOMEM;
  }

  /** fsync(2), or sync(2) for all files: what was stored through mappings is safe as well. */
  syncFile(inode?: InodeId): void {
    for (const area of listAreas(this.#state.areas))
      if (area.persistent && (inode === undefined || area.file?.inode === inode)) this.#announce("sync", area);
    for (const known of this.#state.pools)
      if ((inode === undefined || known === inode) && !this.#mapsFile(known))
        this.#options.persistentSynced(this.poolName(known));
  }

  /** MADV_DONTNEED: private pages are as if freshly mapped. */
  discard(start: number, length: number): number {
    const end = start + pageUp(length);
    for (const piece of piecesIn(this.#state.areas, start, end)) {
      if (piece.shared) continue;
      this.#memory.unmap(piece.start, piece.end - piece.start);
      this.pages.populate(piece);
    }
    return covers(this.#state.areas, start, end) ? 0 : -errno.ENOMEM;
  }

  isCovered(start: number, length: number): boolean {
    return covers(this.#state.areas, start, start + pageUp(length));
  }
}
