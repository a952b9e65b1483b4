/**
 * Finds the region at CPU.rip through the dispatch cache, as the interpreter does (runtime/interpreter.ts), so that
 * indirect calls and jumps go from region to region without it. A function of each module.
 */
import { cpuOffset } from "../ir/index.ts";
import { cpuAddress, hashShift, header, layout } from "../runtime/index.ts";
import { Code } from "../wasm/index.ts";
import type { Imports } from "./imports.ts";
import type { RegionState } from "./state.ts";

export const lookupType = { params: [], results: ["i32"] } as const;

/** () → the region's slot plus one, or 0. */
export function lookupFunction(): Code {
  const c = new Code([]);
  const rip = c.local("i64");
  const low = c.local("i32");
  const entry = c.local("i32");
  c.i32(0).memory("i64.load", cpuAddress(cpuOffset.rip)).tee(rip).op("i32.wrap_i64").tee(low);
  c.get(low).i32(hashShift).op("i32.shr_u").op("i32.xor");
  c.i32(layout.dispatchEntries - 1)
    .op("i32.and")
    .i32(4)
    .op("i32.shl")
    .tee(entry);
  c.memory("i64.load32_u", layout.dispatch).get(rip).op("i64.ne").if_();
  c.i32(0).return_();
  c.end();
  // An empty entry's block is address 0, where every word is 0.
  return c
    .get(entry)
    .memory("i32.load", layout.dispatch + 4)
    .memory("i32.load", header.slot);
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
