/**
 * Bytecode of blocks, kept for other machines of this process and, as bytes, for later ones
 * (docs/adr/0014-kept-code.md). Always:
 * - A block is found only where the guest's bytes are those it was made from. It is a function of these bytes, their
 *   address and the lift options, so that each set of options has blocks of its own. Code with a patch in it is neither
 *   taken nor kept (docs/adr/0019-virtual-patches.md).
 * - A block has one place in all machines, since bytecode names the places of its constants.
 * - The image holds every block as it was written, before it ran: without links, counts and targets.
 */
import { assert } from "../../base/index.ts";
import type { Block } from "../../isa/ir/index.ts";
import { keptBytecode, type WrittenBlock, writeBlock } from "../runtime/index.ts";

/** A record's words: address, then offsets of constants, header and end, then how many bytes of code follow. */
const word = { rip: 0, first: 1, header: 2, end: 3, length: 4 } as const;
const recordBytes = 20;
/** No record lies at offset 0, so that 0 in the table means none. */
const firstRecord = 16;
/** Of the code at one address: a program that writes code, or is built again and again, would fill the image. */
const maxVariants = 8;
const imageAtFirst = 1 << 18;
const tableAtFirst = 1 << 10;
/** Words before table and image: blocks, words of the table, bytes of the image. */
const headBytes = 16;

const aligned = (bytes: number): number => (bytes + 15) & ~15;

export interface KeptBlock extends WrittenBlock {
  /** The address after its code. */
  readonly codeEnd: number;
}

export class KeptBlocks {
  #image: Uint8Array = new Uint8Array(imageAtFirst);
  #words: Uint32Array = new Uint32Array(this.#image.buffer);
  #used = firstRecord;
  #count = 0;
  /** Hash table of records' offsets; at most half of it is in use. */
  #table: Uint32Array = new Uint32Array(tableAtFirst);
  /** Blocks that came since `from` or `toParts`, and those that found no room. */
  added = 0;
  refused = 0;

  /** What `toParts` gave, joined; it starts at a multiple of four in its buffer. Undefined if it is nothing of the kind. */
  static from(bytes: Uint8Array): KeptBlocks | undefined {
    if (bytes.length < headBytes) return undefined;
    const [count, tableWords, imageBytes] = new Uint32Array(bytes.buffer, bytes.byteOffset, headBytes / 4);
    const image = bytes.subarray(headBytes + tableWords! * 4);
    if (image.length !== imageBytes || imageBytes! > keptBytecode.bytes) return undefined;
    const kept = new KeptBlocks();
    kept.#count = count!;
    kept.#table = new Uint32Array(bytes.buffer, bytes.byteOffset + headBytes, tableWords);
    kept.#image = image;
    kept.#words = new Uint32Array(image.buffer, image.byteOffset, image.length >>> 2);
    kept.#used = image.length;
    return kept;
  }

  toParts(): readonly Uint8Array[] {
    this.added = 0;
    const { buffer, byteOffset, byteLength } = this.#table;
    const head = new Uint32Array([this.#count, this.#table.length, this.#used, 0]);
    return [
      new Uint8Array(head.buffer),
      new Uint8Array(buffer, byteOffset, byteLength),
      this.#image.subarray(0, this.#used),
    ];
  }

  #slotOf(rip: number): number {
    return (Math.imul(rip, 0x9e3779b1) >>> 8) & (this.#table.length - 1);
  }

  /** Puts the block at `rip` into a machine's memory, if there is one for the code there, of which `available` bytes can run. */
  take(rip: number, memory: Uint8Array, available: number): KeptBlock | undefined {
    const [table, words] = [this.#table, this.#words];
    for (let slot = this.#slotOf(rip); table[slot] !== 0; slot = (slot + 1) & (table.length - 1)) {
      const at = table[slot]!;
      const record = at >>> 2;
      const length = words[record + word.length]!;
      if (words[record + word.rip] !== rip || length > available) continue;
      if (!this.#isSame(at + recordBytes, memory.subarray(rip, rip + length))) continue;
      const { start } = keptBytecode;
      const first = words[record + word.first]!;
      const end = words[record + word.end]!;
      memory.set(this.#image.subarray(first, end), start + first);
      return { header: start + words[record + word.header]!, end: start + end, codeEnd: rip + length };
    }
    return undefined;
  }

  #isSame(at: number, code: Uint8Array): boolean {
    const image = this.#image;
    for (let i = 0; i < code.length; i++) if (code[i] !== image[at + i]) return false;
    return true;
  }

  /** Writes a block made from `code` into a machine's memory and keeps it; undefined when there is no room. */
  add(block: Block, code: Uint8Array, memory: Uint8Array, view: DataView): KeptBlock | undefined {
    const at = this.#used;
    const first = aligned(at + recordBytes + code.length);
    const { start, bytes } = keptBytecode;
    const arena = { view, next: start + first, end: start + bytes };
    const written = this.#variants(block.start) < maxVariants ? writeBlock(arena, block) : undefined;
    if (written === undefined) {
      this.refused++;
      return undefined;
    }
    const end = written.end - start;
    this.#reserve(aligned(end));
    this.#words.set([block.start, first, written.header - start, end, code.length], at >>> 2);
    this.#image.set(code, at + recordBytes);
    this.#image.set(memory.subarray(start + first, written.end), first);
    this.#used = aligned(end);
    this.#enter(block.start, at);
    this.added++;
    return { ...written, codeEnd: block.end };
  }

  #variants(rip: number): number {
    const table = this.#table;
    let count = 0;
    for (let slot = this.#slotOf(rip); table[slot] !== 0; slot = (slot + 1) & (table.length - 1))
      if (this.#words[table[slot]! >>> 2] === rip) count++;
    return count;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#image.length) return;
    const larger = new Uint8Array(Math.max(bytes, 2 * this.#image.length, imageAtFirst));
    larger.set(this.#image.subarray(0, this.#used));
    this.#image = larger;
    this.#words = new Uint32Array(larger.buffer, 0, larger.length >>> 2);
  }

  #enter(rip: number, at: number): void {
    if (2 * (this.#count + 1) > this.#table.length) this.#rehash();
    const table = this.#table;
    let slot = this.#slotOf(rip);
    while (table[slot] !== 0) slot = (slot + 1) & (table.length - 1);
    table[slot] = at;
    this.#count++;
  }

  #rehash(): void {
    const records = this.#table.filter((at) => at !== 0);
    assert(records.length === this.#count, "vm: the table of kept blocks names each of them once");
    this.#table = new Uint32Array(2 * this.#table.length);
    this.#count = 0;
    for (const at of records) this.#enter(this.#words[at >>> 2]!, at);
  }
}
