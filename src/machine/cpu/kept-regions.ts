/**
 * Compiled regions, kept as kept-blocks.ts keeps blocks. Always: a region is used only where the code of all its blocks is
 * what it was compiled from, and every slot it names is that of the same entry. What else it was chosen by, counts and
 * targets, decides how fast it is, never what it does.
 */
import { createMemory, functionsOf, nativeCode } from "../../base/index.ts";
import { memoryPages64K } from "../runtime/index.ts";

export interface KeptRegion {
  /** The module's. */
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** The engine's machine code of it, if it had some. */
  readonly code?: Uint8Array;
  readonly instructions: number;
  readonly isHub: boolean;
  /** Where it may be entered, if not at one place alone (machine/jit/region.ts). */
  readonly entries: readonly number[];
  readonly blocks: readonly { readonly start: number; readonly code: Uint8Array }[];
  readonly slots: ReadonlyMap<number, number>;
  /** Instructions whose accesses have slow paths. */
  readonly slow: readonly number[];
}

/** Of all regions together. */
const maxBytes = 16 << 20;
/** If more slots were given out, most of them are of no use any more. */
const maxSlots = 0x8000;
/** No code lies there, so the record of all slots has its number. */
const slotsRecord = 0;
/** Words of a record before its lists. */
const headWords = 9;
/** The one that says how many bytes of machine code there are. */
const codeWord = 7;
const aligned = (bytes: number): number => (bytes + 3) & ~3;

let standIn: WebAssembly.Memory | undefined;
/** For instances that never run, all of them: nothing is ever stored there. */
function standInMemory(): WebAssembly.Memory {
  standIn ??= createMemory(memoryPages64K);
  return standIn;
}

export class KeptRegions {
  /** Records by entry. */
  readonly #records = new Map<number, Uint8Array>();
  /** Each entry's place in the table of regions, the same for all machines that use what is kept here. */
  readonly slots = new Map<number, number>();
  /** What is in use without machine code from an earlier run: the engine may have made some by now. Never a machine's own function. */
  readonly #withoutCode = new Map<number, { readonly module: WebAssembly.Module; region?: unknown }>();
  /** Of regions that may be entered at several places, the entry each of these is kept under. */
  readonly #homes = new Map<number, number>();
  #bytes = 0;
  added = 0;

  /** What `toParts` gave, joined; it starts at a multiple of four in its buffer. */
  static from(bytes: Uint8Array): KeptRegions {
    const kept = new KeptRegions();
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset, bytes.length >>> 2);
    for (let at = 0; at < words.length; ) {
      const [entry, length] = words.subarray(at, at + 2);
      if (entry === slotsRecord) kept.#addSlots(words.subarray(at + 2, at + 2 + length! / 4));
      else kept.#put(entry!, bytes.subarray(4 * at + 8, 4 * at + 8 + length!));
      at += 2 + length! / 4;
    }
    return kept.slots.size > maxSlots ? new KeptRegions() : kept;
  }

  #addSlots(pairs: Uint32Array): void {
    for (let i = 0; i < pairs.length; i += 2) this.slots.set(pairs[i]!, pairs[i + 1]!);
  }

  /** A kept region's module is in use. */
  noteUse(entry: number, module: WebAssembly.Module): void {
    const record = this.#records.get(entry);
    if (record !== undefined && !this.hasCode(entry)) this.#withoutCode.set(entry, { module });
  }

  /** Takes over the machine code that the engine has made. */
  takeCode(): void {
    const native = nativeCode();
    if (native === undefined) return;
    for (const [entry, used] of this.#withoutCode) {
      const record = this.#records.get(entry);
      used.region ??= functionsOf(used.module, standInMemory())[0];
      const code = record && native.save(used.module, used.region);
      if (code === undefined) continue;
      this.#withoutCode.delete(entry);
      this.add(entry, { ...decode(record!), code });
    }
  }

  toParts(): readonly Uint8Array[] {
    this.added = 0;
    const slots = new Uint8Array(new Uint32Array([...this.slots].flat()).buffer);
    return [[slotsRecord, slots] as const, ...this.#records].flatMap(([entry, record]) => [
      new Uint8Array(new Uint32Array([entry, record.length]).buffer),
      record,
    ]);
  }

  #put(entry: number, record: Uint8Array): void {
    this.#bytes += record.length - (this.#records.get(entry)?.length ?? 0);
    this.#records.set(entry, record);
    for (const at of entriesIn(record)) this.#homes.set(at, entry);
  }

  /** The entry that the region at an address is kept under. */
  homeOf(entry: number): number {
    return this.#homes.get(entry) ?? entry;
  }

  get isEmpty(): boolean {
    return this.#records.size === 0;
  }

  has(entry: number): boolean {
    return this.#records.has(this.homeOf(entry));
  }

  /** Whether using the region takes no compiling. */
  hasCode(entry: number): boolean {
    const record = this.#records.get(this.homeOf(entry));
    return record !== undefined && new DataView(record.buffer, record.byteOffset).getUint32(4 * codeWord, true) > 0;
  }

  get(entry: number): KeptRegion | undefined {
    const record = this.#records.get(this.homeOf(entry));
    return record && decode(record);
  }

  /** Takes the place of what was kept for the entry. */
  add(entry: number, region: KeptRegion): void {
    const record = encode(region);
    this.#withoutCode.delete(entry);
    if (this.#bytes + record.length > maxBytes) return;
    this.#put(entry, record);
    this.added++;
  }
}

function encode({ bytes, code: native, instructions, isHub, entries, blocks, slots, slow }: KeptRegion): Uint8Array {
  const codeBytes = blocks.reduce((sum, { code }) => sum + code.length, 0);
  const nativeBytes = native?.length ?? 0;
  const words = [
    ...[
      instructions,
      isHub ? 1 : 0,
      blocks.length,
      slots.size,
      slow.length,
      codeBytes,
      bytes.length,
      nativeBytes,
      entries.length,
    ],
    ...blocks.flatMap(({ start, code }) => [start, code.length]),
    ...[...slots].flat(),
    ...slow,
    ...entries,
  ];
  const record = new Uint8Array(4 * words.length + aligned(codeBytes) + aligned(bytes.length) + aligned(nativeBytes));
  new Uint32Array(record.buffer).set(words);
  let at = 4 * words.length;
  for (const { code } of blocks) {
    record.set(code, at);
    at += code.length;
  }
  record.set(bytes, aligned(at));
  if (native) record.set(native, aligned(at) + aligned(bytes.length));
  return record;
}

/** Where else a record's region may be entered. */
function entriesIn(record: Uint8Array): Uint32Array {
  const words = new Uint32Array(record.buffer, record.byteOffset, record.length >>> 2);
  const [, , blocks, slots, slow, , , , entries] = words.subarray(0, headWords);
  const at = headWords + 2 * (blocks! + slots!) + slow!;
  return words.subarray(at, at + entries!);
}

function decode(record: Uint8Array): KeptRegion {
  const words = new Uint32Array(record.buffer, record.byteOffset, record.length >>> 2);
  const [instructions, isHub, blockCount, slotCount, slowCount, codeBytes, moduleBytes, nativeBytes, entryCount] =
    words.subarray(0, headWords);
  const [slotsAt, slowAt] = [headWords + 2 * blockCount!, headWords + 2 * (blockCount! + slotCount!)];
  const entriesAt = slowAt + slowCount!;
  const codeAt = 4 * (entriesAt + entryCount!);
  let at = codeAt;
  const blocks = Array.from({ length: blockCount! }, (_, i) => {
    const [start, length] = words.subarray(headWords + 2 * i, headWords + 2 * i + 2);
    at += length!;
    return { start: start!, code: record.subarray(at - length!, at) };
  });
  const slots = new Map<number, number>();
  for (let i = slotsAt; i < slowAt; i += 2) slots.set(words[i]!, words[i + 1]!);
  const moduleAt = codeAt + aligned(codeBytes!);
  const nativeAt = moduleAt + aligned(moduleBytes!);
  return {
    bytes: record.slice(moduleAt, moduleAt + moduleBytes!),
    ...(nativeBytes! > 0 && { code: record.subarray(nativeAt, nativeAt + nativeBytes!) }),
    instructions: instructions!,
    isHub: isHub === 1,
    blocks,
    slots,
    slow: [...words.subarray(slowAt, entriesAt)],
    entries: [...words.subarray(entriesAt, entriesAt + entryCount!)],
  };
}
