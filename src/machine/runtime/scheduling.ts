/**
 * For threads that run by a schedule (machine/schedule): every store is logged with what it overwrites, so that it can be undone,
 * accesses that another thread could notice are counted, and loads are logged where it is asked who reads what of whom. Always:
 * - Nothing here happens unless its cell is on, and pages are slow then (machine/memory), so that every access comes by.
 * - A count runs out before an access, with nothing of the instruction done. A store that was probed before does not stop: a
 *   locked operation has been noted by then.
 */

import { Code, type ModuleBuilder } from "../../isa/wasm/index.ts";
import { codeOfBefore, codeOfLoad, furtherPiece } from "../../trace/record/index.ts";
import type { EventFunctions } from "./events.ts";
import { cell, cpuAddress, info, layout, pageBits, stop } from "./layout.ts";

/** In `used`: more than one thread has used these 32 bytes. Marks of threads are below. */
export const usedByMany = 255;
/** Guest bytes for each byte of `used`: so many bits of an address. */
export const usedBits = 5;
/** The largest store that comes behind a probe. */
const largestProbed = 16;
/** Of eight bytes: what the widest store has. */
export const storedWords = 4;
const words = Array.from({ length: storedWords }, () => "i64" as const);

/** Kind, size, address, rip, words. */
const stored = ["i32", "i32", "i32", "i32", ...words] as const;

export interface SchedulingFunctions {
  /** (address) → 0, or stop.switch: a load or a flush. */
  readonly visit: number;
  readonly visitProbe: number;
  readonly visitStore: number;
  /** (kind, size, address, rip, four words i64) → 0, or stop.eventsFull and nothing logged. */
  readonly logStore: number;
  /** (size, address, rip) → 0, or stop.eventsFull and nothing logged. */
  readonly logLoad: number;
}

/** An access to persistent memory, or to what another thread has used as well, counts; nobody notices one to what is never written. */
function countFunction(): Code {
  const address = 0;
  const c = new Code(["i32"]);
  const [at, owner, points, bits] = [c.local("i32"), c.local("i32"), c.local("i32"), c.local("i32")];
  const left = cpuAddress(cell.points);
  c.i32(0).memory("i32.load", left).tee(points).op("i32.eqz").if_();
  c.i32(0).return_();
  c.end();
  c.get(address).i32(pageBits).op("i32.shr_u").i32(1).op("i32.shl").memory("i32.load16_u", layout.pageInfo).tee(bits);
  c.i32(info.write).op("i32.and").op("i32.eqz").if_();
  c.i32(0).return_();
  c.end();
  c.get(bits).i32(info.persistent).op("i32.and").op("i32.eqz").if_();
  c.get(address).i32(usedBits).op("i32.shr_u").tee(at).memory("i32.load8_u", layout.used).tee(owner);
  c.i32(0).memory("i32.load", cpuAddress(cell.threadMark)).op("i32.eq").if_();
  c.i32(0).return_();
  c.end();
  c.get(owner).op("i32.eqz").if_();
  c.get(at).i32(0).memory("i32.load", cpuAddress(cell.threadMark)).memory("i32.store8", layout.used);
  c.i32(0).return_();
  c.end();
  c.get(at).i32(usedByMany).memory("i32.store8", layout.used);
  c.end();
  c.get(points).i32(1).op("i32.eq").if_();
  c.i32(stop.switch).return_();
  c.end();
  c.i32(0).get(points).i32(1).op("i32.sub").memory("i32.store", left);
  return c.i32(0);
}

const probed = cpuAddress(cell.probed);

function visitFunction(count: number): Code {
  const c = new Code(["i32"]);
  c.i32(0).i32(0).memory("i32.store", probed);
  return c.get(0).call(count);
}

function visitProbeFunction(count: number): Code {
  const c = new Code(["i32"]);
  c.i32(0).get(0).memory("i32.store", probed);
  return c.get(0).call(count);
}

function visitStoreFunction(count: number): Code {
  const c = new Code(["i32"]);
  c.get(0).i32(0).memory("i32.load", probed).op("i32.sub").i32(largestProbed).op("i32.lt_u").if_();
  c.i32(0).return_();
  c.end();
  return c.get(0).call(count);
}

/** (kind, size, address, rip, words): a record for each aligned eight bytes, cut as trace/record/pieces.ts says. */
function piecesFunction({ append }: EventFunctions): Code {
  const [kind, size, address, rip, low] = [0, 1, 2, 3, 4];
  const c = new Code(stored);
  const [bytes, bits, mark] = [c.local("i32"), c.local("i64"), c.local("i32")];
  const again = c.loop();
  c.i32(8).get(address).i32(7).op("i32.and").op("i32.sub").tee(bytes);
  c.get(size).get(bytes).get(size).op("i32.lt_u").select("i32").set(bytes);
  c.get(bytes).i32(3).op("i32.shl").op("i64.extend_i32_u").set(bits);
  c.get(kind).get(bytes).get(mark).op("i32.or").get(address).get(rip);
  c.get(low).i64(-1n).i64(64n).get(bits).op("i64.sub").op("i64.shr_u").op("i64.and").call(append);
  // What is left, moved down; a shift by 64 would do nothing.
  const pairs = words.slice(1).map((_, i) => [low + i, low + i + 1] as const);
  c.get(bytes).i32(8).op("i32.eq").if_();
  for (const [word, next] of pairs) c.get(next).set(word);
  c.else_();
  for (const [word, next] of pairs) {
    c.get(word).get(bits).op("i64.shr_u");
    c.get(next).i64(64n).get(bits).op("i64.sub").op("i64.shl").op("i64.or").set(word);
  }
  c.get(low + pairs.length)
    .get(bits)
    .op("i64.shr_u")
    .set(low + pairs.length);
  c.end();
  c.i32(furtherPiece).set(mark);
  c.get(address).get(bytes).op("i32.add").set(address);
  c.get(size).get(bytes).op("i32.sub").tee(size).brIf(again);
  c.end();
  return c;
}

function logStoreFunction(pieces: number, { roomForStore, roomForInstruction }: EventFunctions): Code {
  const [kind, size, address, rip, low] = [0, 1, 2, 3, 4];
  const c = new Code(stored);
  // No wide store comes behind another of its instruction.
  c.call(roomForInstruction).call(roomForStore).get(size).i32(largestProbed).op("i32.gt_u").select("i32");
  c.op("i32.eqz").if_();
  c.i32(stop.eventsFull).return_();
  c.end();
  c.i32(codeOfBefore).get(size).get(address).get(rip);
  for (const i of words.keys()) c.get(address).memory("i64.load", 8 * i);
  c.call(pieces).get(kind).get(size).get(address).get(rip);
  for (const i of words.keys()) c.get(low + i);
  c.call(pieces);
  return c.i32(0);
}

/** A load is one record, however wide: only its place counts. */
function logLoadFunction({ append, roomForStore }: EventFunctions): Code {
  const [size, address, rip] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  c.i32(0).memory("i32.load", cpuAddress(cell.loads)).op("i32.eqz").if_();
  c.i32(0).return_();
  c.end();
  c.call(roomForStore).op("i32.eqz").if_();
  c.i32(stop.eventsFull).return_();
  c.end();
  c.i32(codeOfLoad).get(size).get(address).get(rip).i64(0n).call(append);
  return c.i32(0);
}

export function addSchedulingFunctions(module: ModuleBuilder, events: EventFunctions): SchedulingFunctions {
  const visiting = { params: ["i32"], results: ["i32"] } as const;
  const count = module.function(visiting, countFunction());
  const pieces = module.function({ params: stored, results: [] }, piecesFunction(events));
  return {
    visit: module.function(visiting, visitFunction(count)),
    visitProbe: module.function(visiting, visitProbeFunction(count)),
    visitStore: module.function(visiting, visitStoreFunction(count)),
    logStore: module.function({ params: stored, results: ["i32"] }, logStoreFunction(pieces, events)),
    logLoad: module.function({ params: ["i32", "i32", "i32"], results: ["i32"] }, logLoadFunction(events)),
  };
}
