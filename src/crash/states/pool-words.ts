/** Words of pools' files as somebody reads them. Always: what was read is known, in the order in which it was first read. */
import type { FileContents, Machine } from "../../machine/index.ts";
import { growTable } from "./grow-table.ts";

const pageBytes = 4096;
const halfBytes = 4;
const halvesPerPage = pageBytes / halfBytes;
const highUnit = 2 ** 32;

/** Aligned four bytes of one file, by their numbers, that were read one after another. */
interface Stretch {
  readonly path: string;
  halves: Int32Array;
  count: number;
}

/** What was read of several files. */
export class ReadHalves {
  /** By path and page: which halves were read. */
  readonly #known = new Map<string, Map<number, Uint8Array>>();
  readonly #stretches: Stretch[] = [];

  /** Which halves of a page were read, for `add`. */
  page(path: string, number: number): Uint8Array {
    const pages = this.#known.get(path) ?? new Map<number, Uint8Array>();
    this.#known.set(path, pages);
    const page = pages.get(number) ?? new Uint8Array(halvesPerPage);
    pages.set(number, page);
    return page;
  }

  add(path: string, half: number): void {
    let last = this.#stretches.at(-1);
    if (last?.path !== path) {
      last = { path, halves: new Int32Array(64), count: 0 };
      this.#stretches.push(last);
    }
    if (last.count === last.halves.length) last.halves = growTable(last.halves);
    last.halves[last.count++] = half;
  }

  /** Those of one file that were read one after another are told together. */
  tell(words: (path: string, halves: Int32Array) => void): void {
    for (const { path, halves, count } of this.#stretches) words(path, halves.subarray(0, count));
  }
}

interface Page {
  readonly view: DataView;
  readonly isRead: Uint8Array;
}

export class PoolWords {
  readonly #machine: Pick<Machine, "readContents">;
  readonly #contents: FileContents;
  readonly #pages = new Map<number, Page>();
  readonly #path: string;
  readonly #read: ReadHalves;

  constructor(machine: Pick<Machine, "readContents">, path: string, contents: FileContents, read: ReadHalves) {
    this.#machine = machine;
    this.#path = path;
    this.#contents = contents;
    this.#read = read;
  }

  get size(): number {
    return this.#contents.size;
  }

  /** An aligned half of a word; zero beyond the file's end. */
  half(offset: number): number {
    const at = offset % pageBytes;
    const { view, isRead } = this.#page((offset - at) / pageBytes);
    if (isRead[at / halfBytes] === 0) {
      isRead[at / halfBytes] = 1;
      this.#read.add(this.#path, offset / halfBytes);
    }
    return view.getUint32(at, true);
  }

  /** An aligned word: exact as far as numbers are, which no place in a pool goes beyond. */
  word(offset: number): number {
    return this.half(offset) + this.half(offset + halfBytes) * highUnit;
  }

  #page(number: number): Page {
    const known = this.#pages.get(number);
    if (known !== undefined) return known;
    const bytes = new Uint8Array(pageBytes);
    this.#machine.readContents(this.#contents, number * pageBytes, bytes);
    const page = { view: new DataView(bytes.buffer), isRead: this.#read.page(this.#path, number) };
    this.#pages.set(number, page);
    return page;
  }
}
