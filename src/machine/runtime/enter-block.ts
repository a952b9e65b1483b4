/** What the interpreter does with a block before its first instruction. */
import { cpuOffset } from "../../isa/ir/index.ts";
import type { Code, Label } from "../../isa/wasm/index.ts";
import { cell, cpuAddress, stop } from "./layout.ts";
import { header } from "./opcodes.ts";

/** Locals of the interpreter. */
interface EnterLocals {
  readonly block: number;
  readonly pc: number;
  readonly code: number;
  readonly depth: number;
  readonly before: number;
  readonly taint: number;
}

/**
 * Stops before a block that has to do with tainted registers; else runs its region, or checks fuel, counts the block, and points at its
 * bytecode. A region that used no fuel declined: MXCSR is not as its code assumes. Where something is tainted, no region is entered.
 */
export function emitEnterBlock(
  c: Code,
  { block, pc, code, depth, before, taint }: EnterLocals,
  { dispatch, regionType }: { readonly dispatch: Label; readonly regionType: number },
): void {
  const setRip = () =>
    c.i32(0).get(block).memory("i64.load32_u", header.rip).memory("i64.store", cpuAddress(cpuOffset.rip));
  const fuel = () => c.i32(0).memory("i64.load", cpuAddress(cell.fuel));
  c.i32(0).memory("i64.load", cpuAddress(cell.taint)).tee(taint).i64(0n).op("i64.ne").if_();
  c.get(block).memory("i64.load", header.touches).get(taint).op("i64.and").i64(0n).op("i64.ne").if_();
  setRip();
  c.i32(stop.watched).return_();
  c.end();
  c.else_();
  c.get(block).memory("i32.load", header.slot).tee(code).if_();
  setRip();
  fuel().set(before);
  c.i32(0).memory("i32.load", cpuAddress(cell.depth)).tee(depth);
  c.get(code).i32(1).op("i32.sub").callIndirect(regionType).set(code);
  c.i32(0).get(depth).memory("i32.store", cpuAddress(cell.depth));
  c.get(code).if_();
  c.get(code).return_();
  c.end();
  fuel().get(before).op("i64.ne").if_("none", 1);
  c.i32(0).set(block).br(dispatch);
  c.end();
  c.end();
  c.end();

  fuel().get(block).memory("i64.load32_u", header.instructions).op("i64.lt_s").if_();
  setRip();
  c.i32(stop.fuel).return_();
  c.end();

  // What runs while no region is entered says nothing of how hot it is.
  c.get(taint).op("i64.eqz").if_();
  c.get(block)
    .get(block)
    .memory("i32.load", header.executions)
    .i32(1)
    .op("i32.add")
    .tee(code)
    .memory("i32.store", header.executions);
  c.get(code).i32(0).memory("i32.load", cpuAddress(cell.hotAfter)).op("i32.eq").if_();
  setRip();
  c.i32(0).get(block).memory("i32.store", cpuAddress(cell.stopBlock));
  c.i32(stop.hot).return_();
  c.end();
  c.end();

  c.i32(0);
  fuel()
    .get(block)
    .memory("i64.load32_u", header.instructions)
    .op("i64.sub")
    .memory("i64.store", cpuAddress(cell.fuel));
  c.get(block).i32(header.bytes).op("i32.add").set(pc);
}
