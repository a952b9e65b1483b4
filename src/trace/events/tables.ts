/**
 * What records refer to by number: calling contexts, texts, and places whose names are already known. Always:
 * - Numbers are given once, in order, and never change; the tables only grow.
 * - Context 0 is the root of every thread and has no parent. A context's parent has a smaller number.
 */
import { assert } from "../../base/index.ts";
import type { Frame } from "./frame.ts";

const grown = (words: Uint32Array): Uint32Array<ArrayBuffer> => {
  const larger = new Uint32Array(words.length * 2);
  larger.set(words);
  return larger;
};

/** The calling-context tree: each context is a return site within its parent. */
export class ContextTree {
  #words = new Uint32Array(64);
  #count = 1;

  get count(): number {
    return this.#count;
  }

  /** The new context's number. */
  add(parent: number, returnSite: number): number {
    assert(parent >= 0 && parent < this.#count, "a context's parent is known before it");
    assert(returnSite >>> 0 === returnSite, "a return site is an address of the guest's");
    if (2 * this.#count + 2 > this.#words.length) this.#words = grown(this.#words);
    this.#words[2 * this.#count] = parent;
    this.#words[2 * this.#count + 1] = returnSite;
    return this.#count++;
  }

  /** Pairs of parent and return site, in the order of their numbers. */
  addAll(pairs: Uint32Array): void {
    assert(pairs.length % 2 === 0, "a context is a parent and a return site");
    for (let at = 0; at + 1 < pairs.length; at += 2) this.add(pairs[at]!, pairs[at + 1]!);
  }

  parent(context: number): number {
    assert(context > 0 && context < this.#count, "only a known context other than the root has a parent");
    return this.#words[2 * context]!;
  }

  returnSite(context: number): number {
    assert(context > 0 && context < this.#count, "only a known context other than the root has a return site");
    return this.#words[2 * context + 1]!;
  }

  /** Return sites from the innermost call outwards. */
  stack(context: number): number[] {
    const sites: number[] = [];
    for (let at = context < this.#count ? context : 0; at !== 0; at = this.parent(at)) sites.push(this.returnSite(at));
    return sites;
  }

  /** A context and all that enclose it, innermost first, without the root. */
  chain(context: number): number[] {
    const chain: number[] = [];
    for (let at = context < this.#count ? context : 0; at !== 0; at = this.parent(at)) chain.push(at);
    return chain;
  }

  /** The pairs of the contexts from number `from` on. */
  since(from: number): Uint32Array {
    assert(from >= 1 && from <= this.#count, "contexts are asked for from one that is known on");
    return this.#words.slice(2 * from, 2 * this.#count);
  }
}

export interface PackedTexts {
  readonly bytes: Uint8Array;
  readonly ends: Float64Array;
  readonly pools: readonly string[];
}

/** Paths, markers and output, each kept once. */
export class TextTable {
  readonly #bytes: Uint8Array[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #pools = new Set<string>();

  /** Persistent files that were mapped, in the order of their first mapping. */
  get pools(): readonly string[] {
    return [...this.#pools];
  }

  get count(): number {
    return this.#bytes.length;
  }

  add(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    const number = this.addBytes(new TextEncoder().encode(text));
    this.#numbers.set(text, number);
    return number;
  }

  /** The name of a persistent file that is mapped. */
  addPool(name: string): number {
    this.#pools.add(name);
    return this.add(name);
  }

  addBytes(bytes: Uint8Array): number {
    this.#bytes.push(bytes.slice());
    return this.#bytes.length - 1;
  }

  /** All texts one after another, and where each ends. */
  packed(): PackedTexts {
    const ends = new Float64Array(this.#bytes.length);
    let size = 0;
    for (const [number, { length }] of this.#bytes.entries()) {
      size += length;
      ends[number] = size;
    }
    const bytes = new Uint8Array(size);
    for (const [number, text] of this.#bytes.entries()) bytes.set(text, ends[number]! - text.length);
    return { bytes, ends, pools: this.pools };
  }

  static unpacked({ bytes, ends, pools }: PackedTexts): TextTable {
    const texts = new TextTable();
    assert((ends.at(-1) ?? 0) === bytes.length, "every byte of packed texts belongs to one");
    for (const [number, end] of ends.entries()) texts.#bytes.push(bytes.slice(ends[number - 1] ?? 0, end));
    for (const pool of pools) texts.#pools.add(pool);
    return texts;
  }

  text(number: number): string {
    return new TextDecoder().decode(this.bytes(number));
  }

  bytes(number: number): Uint8Array {
    const bytes = this.#bytes[number];
    assert(bytes !== undefined, "a record names a text that was added");
    return bytes;
  }
}

/** Places that came with their names, as in a pmemcheck log: their site is a number of this table's, not an address. */
export class NamedSites {
  readonly #frames = new Map<number, readonly Frame[]>();

  get size(): number {
    return this.#frames.size;
  }

  set(site: number, frames: readonly Frame[]): void {
    this.#frames.set(site, frames);
  }

  /** The calls a site stands for, innermost first. */
  frames(site: number): readonly Frame[] | undefined {
    return this.#frames.get(site);
  }

  entries(): readonly (readonly [number, readonly Frame[]])[] {
    return [...this.#frames];
  }
}

export interface TraceTables {
  /** Whether flushes and fences make stores durable; to files without direct access only msync does. */
  readonly flushesPersist: boolean;
  /** From a trace's addresses to those the user knows, where a log had to be squeezed into 32 bits. */
  original: (address: number) => number;
  readonly contexts: ContextTree;
  readonly texts: TextTable;
  readonly sites: NamedSites;
}

export const newTables = (flushesPersist = true): TraceTables => ({
  flushesPersist,
  original: (address) => address,
  contexts: new ContextTree(),
  texts: new TextTable(),
  sites: new NamedSites(),
});
