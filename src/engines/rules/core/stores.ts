/** Stores, compiled: each goes into the slot of its eight bytes, next to what earlier ones left there. */

import { Code } from "../../../isa/wasm/index.ts";
import { inHead, inRecord, pieceBytes } from "../../../trace/record/index.ts";
import {
  atDirtySite,
  atFlushed,
  atLast,
  atPersisted,
  entryShift,
  severalSites,
  slotLow,
  slotMeta,
  slotSite,
  slotStack,
  slotStart,
} from "../lines.ts";
import { cell, pageFlag, table } from "../memory.ts";
import { load, store } from "./lines.ts";

/** A word of a slot, as seen from the start of the entry plus the slot's offset. */
export const inSlot = (word: number): number => slotStart + word;

/** Locals. `slot` is the entry's address plus the slot's offset, `mask` the bytes stored to. */
interface Place {
  readonly at: number;
  readonly base: number;
  readonly slot: number;
  readonly mask: number;
  /** What the slot holds of stores not yet persisted: `slotMeta`, or 0 for nothing. */
  readonly meta: number;
}

/** Works out where the store of a record goes. */
function emitPlace(c: Code, at: number, base: number): Place {
  const place = { at, base, slot: c.local("i32"), mask: c.local("i32"), meta: c.local("i32") };
  const address = c.local("i32");
  load(c, at, inRecord.address).tee(address);
  // Eight slots of 24 bytes: three times the offset of the eight bytes in the line.
  c.i32(56).op("i32.and").i32(3).op("i32.mul").get(base).op("i32.add").set(place.slot);
  c.i32(1).get(at).memory("i32.load8_u", inHead.size).i32(pieceBytes).op("i32.and").op("i32.shl").i32(1).op("i32.sub");
  c.get(address).i32(7).op("i32.and").op("i32.shl").set(place.mask);
  c.i32(0).set(place.meta);
  load(c, place.slot, inSlot(0));
  load(c, base, atPersisted).op("i32.gt_u").if_();
  load(c, place.slot, inSlot(slotMeta)).set(place.meta);
  c.end();
  return place;
}

const emitWideMask = (c: Code): Code => c.i32(3).op("i32.shl").memory("i64.load", table.wideMasks);

/** Leaves the record's value as it lies in the slot; a record's own is that of its lowest byte first. */
function emitShiftedValue(c: Code, at: number): Code {
  c.get(at).memory("i64.load", 4 * inRecord.low);
  return load(c, at, inRecord.address).i32(7).op("i32.and").i32(3).op("i32.shl").op("i64.extend_i32_u").op("i64.shl");
}

/**
 * Leaves 1 if the store gives bytes of an earlier one another value, and the earlier value is more than zeros (a mere
 * initialisation). Only bytes of the newest store are known to be from its site: there has to be one of those.
 */
function emitOverwrites(c: Code, { at, slot, mask, meta }: Place): Code {
  const wide = c.local("i64");
  const old = c.local("i64");
  emitWideMask(c.get(meta).get(mask).op("i32.and")).tee(wide);
  c.get(slot)
    .memory("i64.load", 4 * inSlot(slotLow))
    .op("i64.and")
    .tee(old);
  c.op("i64.eqz").op("i32.eqz");
  emitShiftedValue(c, at).get(wide).op("i64.and").get(old).op("i64.ne").op("i32.and");
  return c.get(meta).i32(8).op("i32.shr_u").get(mask).op("i32.and").i32(0).op("i32.ne").op("i32.and");
}

function emitValue(c: Code, { at, slot, mask }: Place): void {
  const wide = c.local("i64");
  const value = 4 * inSlot(slotLow);
  c.get(mask).i32(0xff).op("i32.eq").if_();
  c.get(slot)
    .get(at)
    .memory("i64.load", 4 * inRecord.low)
    .memory("i64.store", value);
  c.else_();
  emitWideMask(c.get(mask)).set(wide);
  c.get(slot).get(slot).memory("i64.load", value).get(wide).i64(-1n).op("i64.xor").op("i64.and");
  emitShiftedValue(c, at).get(wide).op("i64.and").op("i64.or").memory("i64.store", value);
  c.end();
}

/** In place of an address: its page's flags. */
export const emitFlags = (c: Code): Code => c.i32(12).op("i32.shr_u").memory("i32.load8_u", table.pageFlags);

/** Puts a store into its slot. */
function emitPut(c: Code, place: Place, position: number): void {
  const { at, base, slot, mask, meta } = place;
  const site = c.local("i32");
  emitValue(c, place);
  load(c, at, inRecord.site).set(site);
  store(c, slot, inSlot(0), position);
  store(c, slot, inSlot(slotSite), site);
  load(c.get(slot), at, inRecord.stack).memory("i32.store", 4 * inSlot(slotStack));
  // Thread; the bytes of this store; all bytes stored and not persisted.
  load(c.get(slot), at, inRecord.head).i32(0xffff_0000).op("i32.and");
  c.get(mask).i32(8).op("i32.shl").get(mask).op("i32.or").get(meta).i32(0xff).op("i32.and").op("i32.or").op("i32.or");
  c.memory("i32.store", 4 * inSlot(slotMeta));
  load(c, base, atLast);
  load(c, base, atFlushed).op("i32.le_u").if_();
  store(c, base, atDirtySite, site);
  c.else_();
  load(c, base, atDirtySite).get(site).op("i32.ne").if_();
  c.get(base)
    .get(site)
    .i32(severalSites | 0);
  load(c, base, atDirtySite);
  emitFlags(emitFlags(c).get(site)).op("i32.and").i32(pageFlag.copying).op("i32.and").select("i32");
  c.memory("i32.store", 4 * atDirtySite);
  c.end();
  c.end();
  store(c, base, atLast, position);
}

/** The store of a record, to the entry at `base`. `judge` may leave it to the caller if it overwrites what is in its slot. */
export function emitStore(c: Code, at: number, base: number, position: number, judge: (slot: number) => void): void {
  const place = emitPlace(c, at, base);
  c.get(place.meta).get(place.mask).op("i32.and").if_();
  emitOverwrites(c, place).i32(0).memory("i32.load", cell.judgesOverwrites).op("i32.and").if_();
  judge(place.slot);
  c.end();
  c.end();
  emitPut(c, place, position);
}

const entryBase = (c: Code, entry: number): number => {
  const base = c.local("i32");
  c.get(entry).i32(entryShift).op("i32.shl").set(base);
  return base;
};

/** (record, entry) → whether its store gives an earlier one another value before that is persisted. */
export function overwritesFunction(): Code {
  const c = new Code(["i32", "i32"]);
  return emitOverwrites(c, emitPlace(c, 0, entryBase(c, 1)));
}

/** (record, entry, position): puts its store into its slot. */
export function putFunction(): Code {
  const c = new Code(["i32", "i32", "i32"]);
  emitPut(c, emitPlace(c, 0, entryBase(c, 1)), 2);
  return c;
}
