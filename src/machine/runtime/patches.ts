/**
 * What a patch does when it is reached (isa/lift/patches.ts): it appends records like those of the instruction it stands for, at
 * the site of the instruction it belongs to, marked with its number. Always: it stops nothing and changes nothing else.
 */

import { Code } from "../../isa/wasm/index.ts";
import { inRecord } from "../../trace/record/index.ts";
import { type ContextFunctions, frameBytes } from "./contexts.ts";
import { emitRecord, emitRoomAtOnce } from "./events.ts";
import { cell, cpuAddress, layout } from "./layout.ts";

/** In place of a return address: the patch holds everywhere, or, as memory is at first, nowhere. */
export const patchAnywhere = 0xffff_ffff;
export const patchNowhere = 0;
export const maxPatches = (layout.patchesEnd - layout.patches) / 4;

/** Cache lines have 64 bytes. */
const withinLine = 63;
/** Of a frame: the return address. */
const siteInFrame = 4;

/** Returns from the function unless a call that returns to the patch's address is in progress. */
function emitBelow(c: Code, number: number): void {
  const below = c.local("i32");
  const frame = c.local("i32");
  c.get(number).i32(2).op("i32.shl").memory("i32.load", layout.patches).tee(below);
  c.i32(patchAnywhere | 0)
    .op("i32.ne")
    .if_();
  c.i32(layout.frames).set(frame);
  const found = c.block();
  const again = c.loop();
  c.get(frame).i32(0).memory("i32.load", cpuAddress(cell.frameNext)).op("i32.ge_u").if_();
  c.return_();
  c.end();
  c.get(frame).memory("i32.load", siteInFrame).get(below).op("i32.eq").brIf(found);
  c.get(frame).i32(frameBytes).op("i32.add").set(frame).br(again);
  c.end();
  c.end();
  c.end();
}

/** (kind, number, address i64, size, rip): a record for each line of the bytes; a fence is one byte at address 0. */
export function patchFunction(contexts: ContextFunctions, emptyEvents: number): Code {
  const [kind, number, address, size, rip] = [0, 1, 2, 3, 4];
  const c = new Code(["i32", "i32", "i64", "i32", "i32"]);
  const at = c.local("i32");
  const line = c.local("i32");
  const last = c.local("i32");
  c.i32(0).memory("i32.load", cpuAddress(cell.tracing)).op("i32.eqz").if_();
  c.return_();
  c.end();
  emitBelow(c, number);
  c.get(address).op("i32.wrap_i64").tee(line).get(size).op("i32.add").i32(1).op("i32.sub").set(last);
  const again = c.loop();
  emitRoomAtOnce(c, at, emptyEvents);
  const parts = {
    at,
    kindAndSize: () => c.get(kind),
    address: () => c.get(line),
    rip: () => c.get(rip),
    value: () => c.i64(0n),
  };
  emitRecord(c, parts, contexts);
  c.get(at)
    .get(number)
    .i32(1)
    .op("i32.add")
    .memory("i32.store", 4 * inRecord.high);
  c.get(line).i32(withinLine).op("i32.or").i32(1).op("i32.add").tee(line);
  c.get(last).op("i32.le_u").brIf(again);
  c.end();
  return c;
}
