/** What was pointed out before, compiled: it only counts (../repeats.ts). */
import { Code } from "../../../isa/wasm/index.ts";
import { table } from "../memory.ts";
import { inRepeat, repeatBytes, repeatSlots } from "../repeats.ts";
import { increase, load } from "./lines.ts";

const slotBits = Math.log2(repeatSlots);

/** (site, stack, what) → the address of the slot for such a thing at a place. */
export function repeatSlotFunction(): Code {
  const [site, stack, what] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  c.get(site)
    .i32(0x9e3779b1 | 0)
    .op("i32.mul");
  c.get(stack).get(what).op("i32.add");
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

/** (site, stack, what) → 1 and counted if such a thing was pointed out at the place; 0 if not, or if that is forgotten. */
export function repeatedFunction(slotOf: number): Code {
  const [site, stack, what] = [0, 1, 2];
  const c = new Code(["i32", "i32", "i32"]);
  const slot = c.local("i32");
  c.get(site).get(stack).get(what).call(slotOf).set(slot);
  load(c, slot, inRepeat.what).get(what).op("i32.eq");
  load(c, slot, inRepeat.site).get(site).op("i32.eq").op("i32.and");
  load(c, slot, inRepeat.stack).get(stack).op("i32.eq").op("i32.and");
  c.if_("i32");
  increase(c, slot, inRepeat.count, 1).i32(1);
  c.else_().i32(0);
  c.end();
  return c;
}
