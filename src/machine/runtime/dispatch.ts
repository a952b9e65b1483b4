/**
 * The dispatch cache, code address → block header: sets of two, each an address and a header, the newer one first. The
 * interpreter and compiled code read it, TypeScript fills it.
 */
import type { Code, Label } from "../../isa/wasm/index.ts";
import { layout } from "./layout.ts";

const hashShift = 13;
const setShift = 4;
const setBytes = 1 << setShift;
const newer = { address: layout.dispatch, block: layout.dispatch + 4 } as const;
const older = { address: layout.dispatch + 8, block: layout.dispatch + 12 } as const;

const setOf = (rip: number): number => ((rip ^ (rip >>> hashShift)) & (layout.dispatchSets - 1)) << setShift;

export function remember(view: DataView, rip: number, block: number): void {
  const set = setOf(rip);
  const before = view.getUint32(set + newer.address, true);
  if (before !== rip) {
    view.setUint32(set + older.address, before, true);
    view.setUint32(set + older.block, view.getUint32(set + newer.block, true), true);
  }
  view.setUint32(set + newer.address, rip, true);
  view.setUint32(set + newer.block, block, true);
}

export function forget(view: DataView, rip: number): void {
  const set = setOf(rip);
  for (const way of [newer, older])
    if (view.getUint32(set + way.address, true) === rip) {
      view.setUint32(set + way.address, 0, true);
      view.setUint32(set + way.block, 0, true);
    }
}

export function forgetAll(bytes: Uint8Array): void {
  bytes.fill(0, layout.dispatch, layout.dispatch + layout.dispatchSets * setBytes);
}

/** Leaves the block whose address is in the i32 local `rip`, or goes to `miss`; 0 for address 0. `set` is overwritten. */
export function emitFindBlock(c: Code, rip: number, set: number, miss: Label): void {
  c.get(rip).get(rip).i32(hashShift).op("i32.shr_u").op("i32.xor");
  c.i32(layout.dispatchSets - 1)
    .op("i32.and")
    .i32(setShift)
    .op("i32.shl")
    .tee(set);
  c.memory("i32.load", newer.address).get(rip).op("i32.eq").if_("i32", 1);
  c.get(set).memory("i32.load", newer.block);
  c.else_();
  c.get(set).memory("i32.load", older.address).get(rip).op("i32.ne").brIf(miss);
  c.get(set).memory("i32.load", older.block);
  c.end();
}
