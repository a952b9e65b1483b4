/** Needless flushes and fences that were pointed out before, compiled: they only count (../repeats.ts). */
import { inRecord } from "../../../trace/index.ts";
import { Code } from "../../../wasm/index.ts";
import { table } from "../memory.ts";
import { inRepeat, repeatBytes, repeatSlots } from "../repeats.ts";
import { increase, load } from "./lines.ts";

const slotBits = Math.log2(repeatSlots);

/** (record, what) → the address of the slot for such a thing at the record's place. */
export function repeatSlotFunction(): Code {
  const [at, what] = [0, 1];
  const c = new Code(["i32", "i32"]);
  load(c, at, inRecord.site)
    .i32(0x9e3779b1 | 0)
    .op("i32.mul");
  load(c, at, inRecord.stack).get(what).op("i32.add");
  c.i32(0x85ebca6b | 0)
    .op("i32.mul")
    .op("i32.xor");
  return c
    .i32(32 - slotBits)
    .op("i32.shr_u")
    .i32(repeatBytes)
    .op("i32.mul")
    .i32(table.repeats)
    .op("i32.add");
}

/** (record, what) → 1 and counted if such a thing was pointed out at the record's place; 0 if not, or if that is forgotten. */
export function repeatedFunction(slotOf: number): Code {
  const [at, what] = [0, 1];
  const c = new Code(["i32", "i32"]);
  const slot = c.local("i32");
  c.get(at).get(what).call(slotOf).set(slot);
  load(c, slot, inRepeat.what).get(what).op("i32.eq");
  for (const word of ["site", "stack"] as const) {
    load(c, slot, inRepeat[word]);
    load(c, at, inRecord[word]).op("i32.eq").op("i32.and");
  }
  c.if_("i32");
  increase(c, slot, inRepeat.count, 1).i32(1);
  c.else_().i32(0);
  c.end();
  return c;
}
