/**
 * Watched pages: which aligned eight bytes of them are read, in the order of their first use, so that a run can be known
 * by what it read. Always:
 * - Uses are noted by halves of words, the first use of each once: as the word's address, with a bit for each half and
 *   one more where they were overwritten whole before they were read. Fields of four bytes that a program sets before it
 *   reads them do not count.
 * - The list is emptied by the machine before it is full (`usesFull`).
 */
import { Code, type Label, type ModuleBuilder } from "../../isa/wasm/index.ts";
import { cell, cpuAddress, fast, layout, pageBits, use } from "./layout.ts";

/** In a noted address: the halves that it is about, and whether their old contents can no longer be read. */
export const lowHalf = 1;
export const highHalf = 2;
export const overwritten = 4;

/** Bytes of half a word, which has a bit in `used`, and of the eight halves that share a byte there: so many bits of an address. */
const halfBytes = 4;
const halfBits = 2;
const cellBits = 5;
const halvesMask = 7;
const wordBytes = 8;

/** Branches to `other` unless the address in this local is aligned and on a page that may be read where it was used before. */
function branchUnlessWatched(c: Code, low: number, size: number, other: Label): void {
  c.get(low).i32(pageBits).op("i32.shr_u").memory("i32.load8_u", layout.pageFast);
  c.i32(fast.watched).op("i32.and").op("i32.eqz").brIf(other);
  c.i32(0).memory("i32.load", cpuAddress(cell.stopAtUse)).brIf(other);
  if (size === 1) return;
  c.get(low)
    .i32(size - 1)
    .op("i32.and")
    .brIf(other);
}

const pushCellOf = (c: Code, low: number): Code => c.get(low).i32(cellBits).op("i32.shr_u");

/** Branches to `other` unless a load at the address in this local is of a watched page and of words that were used before. */
export function branchUnlessUsed(c: Code, low: number, size: number, other: Label): void {
  branchUnlessWatched(c, low, size, other);
  const halves = (1 << Math.ceil(size / halfBytes)) - 1;
  pushCellOf(c, low).memory("i32.load8_u", layout.used);
  c.get(low).i32(halfBits).op("i32.shr_u").i32(halvesMask).op("i32.and").op("i32.shr_u");
  c.i32(halves).op("i32.and").i32(halves).op("i32.ne").brIf(other);
}

export interface NoteLocals {
  readonly shift: number;
  readonly fresh: number;
  readonly next: number;
}

/** As above, for a load of at most a word: what was not used before is noted, while the list has room. */
export function branchUnlessNoted(c: Code, low: number, size: number, other: Label, locals: NoteLocals): void {
  const { shift, fresh, next } = locals;
  branchUnlessWatched(c, low, size, other);
  c.get(low).i32(halfBits).op("i32.shr_u");
  c.i32(halvesMask - 1)
    .op("i32.and")
    .set(shift);
  if (size === wordBytes) c.i32(lowHalf | highHalf);
  else c.i32(lowHalf).get(low).i32(halfBits).op("i32.shr_u").i32(1).op("i32.and").op("i32.shl");
  pushCellOf(c, low).memory("i32.load8_u", layout.used).get(shift).op("i32.shr_u").i32(-1).op("i32.xor");
  c.op("i32.and").tee(fresh).if_();
  c.i32(0).memory("i32.load", cpuAddress(cell.useNext)).tee(next).i32(layout.usesEnd).op("i32.eq").brIf(other);
  pushCellOf(c, low);
  pushCellOf(c, low).memory("i32.load8_u", layout.used).get(fresh).get(shift).op("i32.shl").op("i32.or");
  c.memory("i32.store8", layout.used);
  c.get(next).get(low).i32(-wordBytes).op("i32.and").get(fresh).op("i32.or").memory("i32.store");
  c.i32(0).get(next).i32(4).op("i32.add").memory("i32.store", cpuAddress(cell.useNext));
  c.end();
}

export interface WatchFunctions {
  /** (address, size): these bytes are read. */
  readonly read: number;
  /** (address, size): these bytes are overwritten. */
  readonly write: number;
  /** (address, size) → whether bytes on a watched page may not be used now. */
  readonly stops: number;
}

/** Leaves whether uses are treated so. */
const pushIsUse = (c: Code, how: number): Code =>
  c.i32(0).memory("i32.load", cpuAddress(cell.stopAtUse)).i32(how).op("i32.eq");

function stopsFunction(): Code {
  const [half, size] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const end = c.local("i32");
  pushIsUse(c, use.stopsAtMarks).op("i32.eqz").if_();
  pushIsUse(c, use.stops).return_();
  c.end();
  c.get(half)
    .get(size)
    .op("i32.add")
    .i32(halfBytes - 1)
    .op("i32.add");
  c.i32(halfBits).op("i32.shr_u").set(end);
  c.get(half).i32(halfBits).op("i32.shr_u").set(half);
  const again = c.loop();
  c.get(half).i32(3).op("i32.shr_u").memory("i32.load8_u", layout.used);
  c.get(half).i32(halvesMask).op("i32.and").op("i32.shr_u").i32(1).op("i32.and").if_();
  c.i32(1).return_();
  c.end();
  c.get(half).i32(1).op("i32.add").tee(half).get(end).op("i32.lt_u").brIf(again);
  c.end();
  return c.i32(0);
}

/** Notes the halves [first, end) that were not used before; `mark` is `overwritten` or 0. */
function noteFunction(usesFull: number): Code {
  const [first, end, mark] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  const shift = c.local("i32");
  const cellOfWord = c.local("i32");
  const fresh = c.local("i32");
  const next = c.local("i32");
  const done = c.block();
  const again = c.loop();
  c.get(first).get(end).op("i32.ge_u").brIf(done);
  c.get(first).i32(3).op("i32.shr_u").set(cellOfWord);
  c.get(first).i32(6).op("i32.and").set(shift);
  // The halves of this word: not the low one when we begin behind it, not the high one when we end before it.
  c.i32(3).get(first).i32(1).op("i32.and").op("i32.sub");
  c.i32(3).get(first).i32(1).op("i32.or").get(end).op("i32.ge_u").i32(1).op("i32.shl").op("i32.sub").op("i32.and");
  c.get(cellOfWord).memory("i32.load8_u", layout.used).get(shift).op("i32.shr_u").i32(-1).op("i32.xor").op("i32.and");
  c.tee(fresh).if_();
  c.get(cellOfWord).get(cellOfWord).memory("i32.load8_u", layout.used).get(fresh).get(shift).op("i32.shl").op("i32.or");
  c.memory("i32.store8", layout.used);
  c.i32(0).memory("i32.load", cpuAddress(cell.useNext)).tee(next).i32(layout.usesEnd).op("i32.eq").if_();
  c.call(usesFull);
  c.i32(0).memory("i32.load", cpuAddress(cell.useNext)).set(next);
  c.end();
  c.get(next).get(first).i32(1).op("i32.shr_u").i32(3).op("i32.shl");
  c.get(fresh).op("i32.or").get(mark).op("i32.or").memory("i32.store");
  c.i32(0).get(next).i32(4).op("i32.add").memory("i32.store", cpuAddress(cell.useNext));
  c.end();
  c.get(first).i32(1).op("i32.or").i32(1).op("i32.add").set(first);
  c.br(again);
  c.end();
  c.end();
  return c;
}

function returnUnlessNoted(c: Code): void {
  pushIsUse(c, use.noted).op("i32.eqz").if_();
  c.return_();
  c.end();
}

/** Every half that the bytes touch. */
function readFunction(note: number): Code {
  const [address, size] = [0, 1];
  const c = new Code(["i32", "i32"]);
  returnUnlessNoted(c);
  c.get(address).i32(2).op("i32.shr_u");
  c.get(address).get(size).op("i32.add").i32(3).op("i32.add").i32(2).op("i32.shr_u");
  c.i32(0).call(note);
  return c;
}

/** Only halves that the bytes cover. */
function writeFunction(note: number): Code {
  const [address, size] = [0, 1];
  const c = new Code(["i32", "i32"]);
  returnUnlessNoted(c);
  c.get(address).i32(3).op("i32.add").i32(2).op("i32.shr_u");
  c.get(address).get(size).op("i32.add").i32(2).op("i32.shr_u");
  c.i32(overwritten).call(note);
  return c;
}

export function addWatchFunctions(module: ModuleBuilder, usesFull: number): WatchFunctions {
  const two = { params: ["i32", "i32"], results: [] } as const;
  const note = module.function({ params: ["i32", "i32", "i32"], results: [] }, noteFunction(usesFull));
  return {
    read: module.function(two, readFunction(note)),
    write: module.function(two, writeFunction(note)),
    stops: module.function({ params: ["i32", "i32"], results: ["i32"] }, stopsFunction()),
  };
}
