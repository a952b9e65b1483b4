/** Whether a flush writes back stores of several sites, compiled: most flushes of several stores do. */
import { Code } from "../../../isa/wasm/index.ts";
import { atFlushed, entryShift, slotSite, slotStart, slotsPerLine, slotWords } from "../lines.ts";
import { pageFlag } from "../memory.ts";
import { load } from "./lines.ts";
import { emitFlags } from "./stores.ts";

/**
 * (entry) → 1 if dirty stores of the line are from several sites, and not all on somebody's behalf, for sure: a page
 * only some of which was ever code that copies does not tell.
 */
export function sharedFlushFunction(): Code {
  const entry = 0;
  const c = new Code(["i32"]);
  const [base, slot, end, site, other] = Array.from({ length: 5 }, () => c.local("i32")) as [
    number,
    number,
    number,
    number,
    number,
  ];
  const slotBytes = 4 * slotWords;
  c.get(entry).i32(entryShift).op("i32.shl").tee(base).tee(slot);
  c.i32(slotsPerLine * slotBytes)
    .op("i32.add")
    .set(end);
  const again = c.loop();
  load(c, slot, slotStart);
  load(c, base, atFlushed).op("i32.gt_u").if_();
  load(c, slot, slotStart + slotSite).set(other);
  c.get(site).i32(0).op("i32.ne").get(site).get(other).op("i32.ne").op("i32.and").if_();
  emitFlags(c.get(site));
  emitFlags(c.get(other)).op("i32.and").i32(pageFlag.copying).op("i32.and").op("i32.eqz").if_();
  // One of both does not copy for sure if no code of its page ever did.
  emitFlags(c.get(site));
  emitFlags(c.get(other)).op("i32.and").i32(pageFlag.copied).op("i32.and").op("i32.eqz").return_();
  c.end();
  c.end();
  c.get(other).set(site);
  c.end();
  c.get(slot).i32(slotBytes).op("i32.add").tee(slot).get(end).op("i32.lt_u").brIf(again);
  c.end();
  return c.i32(0);
}
