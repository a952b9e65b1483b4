/**
 * Which code has run, of one machine or of many: by file and offset, so that it does not matter where a file was mapped. Always:
 * what ran is here. What is here ran too, but for the rest of a block that a fault, a limit or a signal ended early.
 */
import { type InodeId, textFromPath } from "../files/index.ts";
import type { Area } from "../process/index.ts";

/** Blocks of code by file, each as its offset and its length, one after the other: plain data, for threads and journals. */
export type RanBlocks = Readonly<Record<string, readonly number[]>>;

export class RanCode {
  readonly #isNoted: (path: string) => boolean;
  /** Lengths of blocks by offset, by file. */
  readonly #files = new Map<string, Map<number, number>>();
  /** Since it was last taken. */
  #fresh = new Map<string, number[]>();

  /** Of files that `isNoted` names. */
  constructor(isNoted: (path: string) => boolean) {
    this.#isNoted = isNoted;
  }

  note(path: string, offset: number, length: number): void {
    if (!this.#isNoted(path)) return;
    const blocks = this.#files.get(path) ?? new Map<number, number>();
    this.#files.set(path, blocks);
    if ((blocks.get(offset) ?? 0) >= length) return;
    blocks.set(offset, length);
    const fresh = this.#fresh.get(path) ?? [];
    fresh.push(offset, length);
    this.#fresh.set(path, fresh);
  }

  /** Whether a block begins there that ran, or none would be noted. */
  hasRun(path: string, offset: number): boolean {
    return !this.#isNoted(path) || this.#files.get(path)?.has(offset) === true;
  }

  /** What another thread or an earlier session noted. */
  add(ran: RanBlocks): void {
    for (const [path, blocks] of Object.entries(ran))
      for (let at = 0; at < blocks.length; at += 2) this.note(path, blocks[at]!, blocks[at + 1]!);
  }

  /** What is new since this was last asked; undefined: nothing. */
  take(): RanBlocks | undefined {
    if (this.#fresh.size === 0) return undefined;
    const taken = Object.fromEntries(this.#fresh);
    this.#fresh = new Map();
    return taken;
  }

  get all(): ReadonlyMap<string, ReadonlyMap<number, number>> {
    return this.#files;
  }
}

/** What of a kernel tells the file at an address. */
interface Mapped {
  areaAt(address: number): Area | undefined;
  readonly files: { pathOf(inode: InodeId): string };
}

/** One machine's code, by address. */
export class NotedCode {
  readonly #ran: RanCode;
  readonly #mapped: () => Mapped;
  /** Areas are values: while it is the same one, so is its file. */
  #last: { readonly area: Area; readonly path: string } | undefined;

  constructor(ran: RanCode, mapped: () => Mapped) {
    this.#ran = ran;
    this.#mapped = mapped;
  }

  note(start: number, end: number): void {
    const place = this.#placeOf(start);
    if (place !== undefined) this.#ran.note(place.path, place.offset, end - start);
  }

  hasRun(start: number): boolean {
    const place = this.#placeOf(start);
    return place === undefined || this.#ran.hasRun(place.path, place.offset);
  }

  /** Undefined: code of no file. */
  #placeOf(address: number): { readonly path: string; readonly offset: number } | undefined {
    const mapped = this.#mapped();
    const area = mapped.areaAt(address);
    if (area?.file === undefined) return undefined;
    if (this.#last?.area !== area) this.#last = { area, path: textFromPath(mapped.files.pathOf(area.file.inode)) };
    return { path: this.#last.path, offset: area.file.offset + (address - area.start) };
  }
}
