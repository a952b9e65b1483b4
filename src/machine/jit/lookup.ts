/**
 * Finds the region at CPU.rip through the dispatch cache, as the interpreter does (machine/runtime/interpreter.ts), so that
 * indirect calls and jumps go from region to region without it. A function of each module.
 */
import { cpuOffset } from "../../isa/ir/index.ts";
import { Code } from "../../isa/wasm/index.ts";
import { cpuAddress, emitFindBlock, header } from "../runtime/index.ts";
import type { Imports } from "./imports.ts";
import type { RegionState } from "./state.ts";

export const lookupType = { params: [], results: ["i32"] } as const;

/** () → the region's slot plus one, or 0. */
export function lookupFunction(): Code {
  const c = new Code([]);
  const rip = c.local("i64");
  const low = c.local("i32");
  const set = c.local("i32");
  const miss = c.block();
  c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).tee(rip).op("i32.wrap_i64").tee(low);
  c.op("i64.extend_i32_u").get(rip).op("i64.ne").brIf(miss);
  emitFindBlock(c, low, set, miss);
  // An empty entry's block is address 0, where every word is 0.
  c.memory("i32.load", header.slot).return_();
  c.end();
  return c.i32(0);
}

/** Leaves 0 if there is no region at CPU.rip; else `transfer` is written with its slot and the depth on the stack. */
export function writeLookUp({ code: c, stop: slot, depth }: RegionState, imports: Imports, transfer: () => void): void {
  c.call(imports.get("lookup")!).tee(slot).if_("i32", 1);
  c.get(slot).i32(1).op("i32.sub").get(depth);
  transfer();
  c.else_();
  c.i32(0);
  c.end();
}
