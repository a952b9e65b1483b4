/**
 * Guest code → lifted blocks → bytecode, in use until the code changes. When translated code is overwritten or can no
 * longer run, what was made of its page is stale: programs that compile themselves write code all the time. What other
 * machines have translated before (machine/cpu/kept-blocks.ts) is taken as it is, and lifted only when the compiler asks.
 */
import type { Block } from "../../isa/ir/index.ts";
import { type LiftOptions, liftRun, maxBlockInstructions } from "../../isa/lift/index.ts";
import { decodeRun, type Instruction } from "../../isa/x86/index.ts";
import type { GuestMemory } from "../memory/index.ts";
import {
  type Arena,
  cell,
  cpuAddress,
  forget,
  forgetAll,
  header,
  info,
  layout,
  makeStale,
  pageBits,
  pageSize,
  remember,
  type WrittenBlock,
  writeBlock,
} from "../runtime/index.ts";
import type { KeptCode } from "./kept-code.ts";
import type { PhaseClock } from "./phases.ts";
import type { NotedCode } from "./ran-code.ts";

/** The longest run of code given to the decoder: 64 instructions of up to 15 bytes. */
const maxCodeBytes = 1024;
const maxInstructionBytes = 15;
const scratchBytes = 0x1_0000;
/** Executions of a block before its kept region is used: most of what it costs is V8's, if it has no machine code of it. */
const keptHotAfter = { withCode: 50, without: 500 } as const;

/** A block in use. */
export class Translation implements WrittenBlock {
  readonly header: number;
  readonly end: number;
  readonly #lift: () => Block;
  #block: Block | undefined;

  constructor({ header, end }: WrittenBlock, lift: () => Block, block?: Block) {
    this.header = header;
    this.end = end;
    this.#lift = lift;
    this.#block = block;
  }

  get block(): Block {
    this.#block ??= this.#lift();
    return this.#block;
  }
}

interface CodePages {
  readonly pages: readonly number[];
  /** Addresses of the blocks with code on them. */
  readonly blocks: Set<number>;
}

export interface TranslatorOptions {
  readonly lift?: LiftOptions | undefined;
  /** Of code lifted with the same options. */
  readonly kept?: KeptCode | undefined;
  /** Told of every block that is about to run. */
  readonly noted?: NotedCode | undefined;
}

export class Translator {
  readonly #memory: GuestMemory;
  readonly #arena: Arena;
  readonly #translations = new Map<number, Translation>();
  /** Pages with translated code; those that show the same page of a file have one entry. */
  readonly #codePages = new Map<number, CodePages>();
  /** Machine-made instructions, for as long as their page is known to be unchanged. */
  readonly #decoded = new Map<number, Instruction>();
  readonly #phases: PhaseClock;
  readonly #options: LiftOptions | undefined;
  readonly #kept: KeptCode | undefined;
  readonly #noted: NotedCode | undefined;
  /** Blocks end before these addresses, in ascending order. */
  #stops: readonly number[] = [];
  /** Drops everything translated. */
  whenFull = (): void => this.drop();

  constructor(memory: GuestMemory, phases: PhaseClock, { lift, kept, noted }: TranslatorOptions) {
    this.#options = lift;
    this.#kept = kept;
    this.#noted = noted;
    this.#memory = memory;
    this.#phases = phases;
    this.#arena = { view: memory.view, next: layout.bytecode + scratchBytes, end: layout.bytecodeEnd };
  }

  /** The caller drops what was translated before. */
  setStops(addresses: readonly number[]): void {
    this.#stops = addresses.toSorted((a, b) => a - b);
  }
  isStop(address: number): boolean {
    return this.#stops.includes(address);
  }

  get(rip: number): Translation | undefined {
    return this.#translations.get(rip);
  }

  /** Translates the block at `rip` if need be and makes it known to the dispatcher; undefined: no executable code there. */
  translate(rip: number): Translation | undefined {
    let translation = this.#translations.get(rip);
    if (!translation) {
      translation = this.#take(rip) ?? this.#make(rip);
      if (!translation) return undefined;
      this.#translations.set(rip, translation);
    }
    remember(this.#memory.view, rip, translation.header);
    return translation;
  }

  /** What was translated before, for the code that is there. */
  #take(rip: number): Translation | undefined {
    const kept = this.#kept?.blocks.take(rip, this.#memory.bytes, this.#executableBytes(rip));
    if (!kept || this.isPatched(rip, kept.codeEnd)) return undefined;
    this.#noted?.note(rip, kept.codeEnd);
    this.#markCode(rip, kept.codeEnd);
    if (this.#kept?.regions.has(rip))
      this.#expectHot(kept.header, keptHotAfter[this.#kept.regions.hasCode(rip) ? "withCode" : "without"]);
    return new Translation(kept, () => this.lift(rip, maxBlockInstructions)!);
  }

  /** It was hot in an earlier run. */
  #expectHot(block: number, after: number): void {
    const { view } = this.#memory;
    const hotAfter = view.getUint32(cpuAddress(cell.hotAfter), true);
    view.setUint32(block + header.executions, Math.max(0, hotAfter - after), true);
  }

  /** Whether something is inserted into this code: then it is not what others keep of it. */
  isPatched(start: number, end: number): boolean {
    return this.#options?.patches?.covers(start, end) === true;
  }

  /** Whether it is noted what runs, and the block at `start` has not, in this machine or in another that notes it at the same place. */
  isNew(start: number): boolean {
    return this.#noted?.hasRun(start) === false;
  }

  /** Whether `code` is what runs at `start` now, without a stop; changes to it are watched from then on. */
  isThere(start: number, code: Uint8Array): boolean {
    if (this.#executableBytes(start) < code.length || this.isStop(start)) return false;
    if (this.isPatched(start, start + code.length)) return false;
    const present = this.#memory.bytes.subarray(start, start + code.length);
    for (let i = 0; i < code.length; i++) if (code[i] !== present[i]) return false;
    this.#markCode(start, start + code.length);
    return true;
  }

  /** The code of the block in use at `start`. */
  codeAt(start: number): Uint8Array {
    return this.#memory.bytes.slice(start, this.#translations.get(start)!.block.end);
  }

  #make(rip: number): Translation | undefined {
    const block = this.lift(rip, maxBlockInstructions);
    if (!block) return undefined;
    let written = this.#keep(block) ?? writeBlock(this.#arena, block);
    if (written === undefined) {
      this.whenFull();
      written = writeBlock(this.#arena, block)!;
    }
    this.#noted?.note(rip, block.end);
    this.#markCode(rip, block.end);
    return new Translation(written, () => block, block);
  }

  /** Undefined if the block is not kept: where code ends, how much of it can run decides as well. */
  #keep(block: Block): WrittenBlock | undefined {
    const { bytes, view } = this.#memory;
    if (!this.#kept || this.isPatched(block.start, block.end)) return undefined;
    if (this.#executableBytes(block.start) < block.end - block.start + maxInstructionBytes) return undefined;
    return this.#kept.blocks.add(block, bytes.subarray(block.start, block.end), bytes, view);
  }

  /** A block of at most `limit` instructions, for running up to an exact count; good until the next call. */
  translateShort(rip: number, limit: number): number | undefined {
    const block = this.lift(rip, limit);
    if (!block) return undefined;
    this.#noted?.note(rip, block.end);
    const scratch = { view: this.#memory.view, next: layout.bytecode, end: layout.bytecode + scratchBytes };
    return writeBlock(scratch, block)?.header;
  }

  lift(rip: number, limit: number): Block | undefined {
    const length = this.#executableBytes(rip);
    if (length === 0) return undefined;
    const code = this.#memory.bytes.subarray(rip, rip + length);
    const instructions = this.#phases.measure("decode", () => decodeRun(code, rip, limit));
    return this.#phases.measure("lift", () => liftRun(instructions, code, rip, this.#options));
  }

  decode(rip: number): Instruction | undefined {
    const known = this.#decoded.get(rip);
    if (known) return known;
    const [instruction] = decodeRun(this.#memory.bytes.subarray(rip, rip + this.#executableBytes(rip)), rip, 1);
    const watched = (address: number) => (this.#memory.infoOf(address >>> pageBits) & info.code) !== 0;
    if (instruction && watched(rip) && watched(instruction.next - 1)) this.#decoded.set(rip, instruction);
    return instruction;
  }

  #executableBytes(rip: number): number {
    let end = rip;
    while (end - rip < maxCodeBytes && this.#memory.infoOf(end >>> pageBits) & info.execute)
      end = (Math.floor(end / pageSize) + 1) * pageSize;
    const stop = this.#stops.find((address) => address > rip) ?? end;
    return Math.min(end - rip, maxCodeBytes, stop - rip);
  }

  #markCode(start: number, end: number): void {
    const [first, last] = [start >>> pageBits, (end - 1) >>> pageBits];
    for (let page = first; page <= last; page++) {
      let entry = this.#codePages.get(page);
      if (!entry) {
        entry = { pages: this.#memory.markCode(page), blocks: new Set() };
        for (const one of entry.pages) this.#codePages.set(one, entry);
      }
      entry.blocks.add(start);
    }
  }

  /** The code on this page is no longer what was translated; all pages that have lost theirs by that are returned. */
  dropPage(page: number): readonly number[] {
    const { pages, blocks } = this.#codePages.get(page) ?? { pages: [page], blocks: [] };
    const { view } = this.#memory;
    for (const start of blocks) {
      const translation = this.#translations.get(start);
      if (!translation) continue;
      makeStale(view, translation.header);
      forget(view, start);
      this.#translations.delete(start);
    }
    for (const one of pages) {
      this.#codePages.delete(one);
      this.#memory.clearCode(one);
    }
    for (const [rip, { next }] of this.#decoded)
      if (pages.includes(rip >>> pageBits) || pages.includes((next - 1) >>> pageBits)) this.#decoded.delete(rip);
    return pages;
  }

  drop(): void {
    this.#translations.clear();
    this.#decoded.clear();
    forgetAll(this.#memory.bytes);
    for (const page of this.#codePages.keys()) this.#memory.clearCode(page);
    this.#codePages.clear();
    this.#arena.next = layout.bytecode + scratchBytes;
  }
}
