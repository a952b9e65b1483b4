/** Stores over others that are not persisted, compiled: those of which all was said before only count (../repeats.ts). */
import type { Code } from "../../../isa/wasm/index.ts";
import { slotMeta, slotSite, slotStack } from "../lines.ts";
import { table } from "../memory.ts";
import { repeat } from "../repeats.ts";
import { inThread, threadShift } from "../threads.ts";
import { load } from "./lines.ts";
import { emitLockAt } from "./locks.ts";
import { inSlot } from "./stores.ts";

/** Locals, `slot` as in stores.ts, and functions. */
interface Overwrite {
  readonly at: number;
  readonly state: number;
  readonly line: number;
  readonly slot: number;
  readonly functions: { readonly holds: number; readonly repeated: number };
}

/** Leaves whether the earlier store's thread has fenced other flushes since, and the line was ever flushed. */
function emitOrdered(c: Code, { line, slot }: Overwrite): Code {
  load(c, slot, inSlot(slotMeta)).i32(16).op("i32.shr_u").i32(threadShift).op("i32.shl");
  c.memory("i32.load", table.threads + 4 * inThread.lastOrdering);
  load(c, slot, inSlot(0)).op("i32.gt_u");
  c.get(line).i32(3).op("i32.shr_u").memory("i32.load8_u", table.everFlushed);
  return c.get(line).i32(7).op("i32.and").op("i32.shr_u").i32(1).op("i32.and").op("i32.and");
}

/** Leaves 1 if there is nothing more to say of it: the transaction protects it, or it was pointed out and is counted. */
export function emitSaidBefore(c: Code, overwrite: Overwrite): void {
  const { at, state, slot, functions } = overwrite;
  load(c, state, inThread.transactions).if_("i32");
  c.get(at).get(state).call(functions.holds);
  c.else_();
  // It may be a lock word.
  emitLockAt(c, at).if_("i32");
  c.i32(0).else_();
  load(c, slot, inSlot(slotSite));
  load(c, slot, inSlot(slotStack));
  c.i32(repeat.orderedOverwrite).i32(repeat.overwrite);
  emitOrdered(c, overwrite).select("i32").call(functions.repeated);
  c.end();
  c.end();
}
