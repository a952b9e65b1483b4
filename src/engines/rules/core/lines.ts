/** Entries of lines, compiled: found, added and released (../lines.ts says what they hold). */
import { Code } from "../../../isa/wasm/index.ts";
import { atFlushed, atLast, atPersisted, atReferences, entryShift } from "../lines.ts";
import { blockBytes, cell, table } from "../memory.ts";

export const load = (c: Code, base: number, word: number): Code => c.get(base).memory("i32.load", 4 * word);
export const store = (c: Code, base: number, word: number, value: number): Code =>
  c
    .get(base)
    .get(value)
    .memory("i32.store", 4 * word);
const loadCell = (c: Code, address: number): Code => c.i32(0).memory("i32.load", address);

/** Adds to a word, and leaves nothing. */
export const increase = (c: Code, base: number, word: number, by: number): Code => {
  c.get(base);
  return load(c, base, word)
    .i32(by)
    .op("i32.add")
    .memory("i32.store", 4 * word);
};
const increaseCell = (c: Code, address: number, by: number): Code =>
  loadCell(c.i32(0), address).i32(by).op("i32.add").memory("i32.store", address);

/** The address of a line's entry number, in the first block of all when its page has none. */
function emitPlaceOf(c: Code, line: number): Code {
  c.get(line).i32(6).op("i32.shr_u").i32(2).op("i32.shl").memory("i32.load", table.pages);
  return c.get(line).i32(63).op("i32.and").i32(2).op("i32.shl").op("i32.add");
}

/** Leaves a line's entry, 0 for none. */
export const emitFind = (c: Code, line: number): Code => emitPlaceOf(c, line).memory("i32.load");

/** Sets a line's bit in one of the tables with a bit per line. */
export function emitSetBit(c: Code, bits: number, line: number): void {
  const index = c.local("i32");
  c.get(line).i32(3).op("i32.shr_u").tee(index);
  c.get(index).memory("i32.load8_u", bits);
  c.i32(1).get(line).i32(7).op("i32.and").op("i32.shl").op("i32.or").memory("i32.store8", bits);
}

/** () → a block's address. */
export function blockFunction(grow: number): Code {
  const c = new Code([]);
  const address = c.local("i32");
  loadCell(c, cell.heapNext).tee(address);
  loadCell(c, cell.heapEnd).op("i32.eq").if_();
  c.call(grow);
  c.end();
  increaseCell(c, cell.heapNext, blockBytes);
  return c.get(address);
}

/** Lets a cell be a number that goes beyond it. */
function emitWiden(c: Code, address: number, number: number, beyond: "i32.lt_u" | "i32.gt_u"): void {
  loadCell(c.get(number), address).op(beyond).if_();
  c.i32(0).get(number).memory("i32.store", address);
  c.end();
}

/** (line, position) → the entry of a line that has none, as it is before the store at the position. */
export function addFunction(block: number): Code {
  const [line, position] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const entry = c.local("i32");
  const base = c.local("i32");
  const page = c.local("i32");
  c.get(line).i32(6).op("i32.shr_u").i32(2).op("i32.shl").tee(page);
  c.memory("i32.load", table.pages).op("i32.eqz").if_();
  c.get(page).call(block).memory("i32.store", table.pages);
  c.get(page).i32(2).op("i32.shr_u").set(page);
  emitWiden(c, cell.firstPage, page, "i32.lt_u");
  c.get(page).i32(1).op("i32.add").set(page);
  emitWiden(c, cell.afterPages, page, "i32.gt_u");
  c.end();
  loadCell(c, cell.free).tee(entry).if_();
  c.get(entry).i32(entryShift).op("i32.shl").set(base);
  load(c.i32(0), base, 0).memory("i32.store", cell.free);
  c.else_();
  c.call(block).tee(base).i32(entryShift).op("i32.shr_u").set(entry);
  c.end();
  store(c, base, 0, line);
  c.get(position).i32(1).op("i32.sub").set(position);
  for (const word of [atLast, atFlushed, atPersisted]) store(c, base, word, position);
  c.get(base)
    .i32(0)
    .memory("i32.store", 4 * atReferences);
  emitPlaceOf(c, line).get(entry).memory("i32.store");
  emitSetBit(c, table.everStored, line);
  increaseCell(c, cell.live, 1);
  return c.get(entry);
}

/** (entry): nothing of its line is left to follow. The first word of a free entry names the next. */
export function releaseFunction(): Code {
  const entry = 0;
  const c = new Code(["i32"]);
  const base = c.local("i32");
  const line = c.local("i32");
  c.get(entry).i32(entryShift).op("i32.shl").set(base);
  load(c, base, 0).set(line);
  emitPlaceOf(c, line).i32(0).memory("i32.store");
  loadCell(c.get(base), cell.free).memory("i32.store");
  c.i32(0).get(entry).memory("i32.store", cell.free);
  increaseCell(c, cell.live, -1);
  return c;
}
