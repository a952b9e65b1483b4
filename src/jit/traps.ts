/** Floating-point exceptions that can be raised where their macro is called, in its slow path. */
import type { Op } from "../ir/index.ts";
import { isFloatMacro, isFloatTrap } from "./floats.ts";
import { effects } from "./plan.ts";

/**
 * Traps that only the call of one macro can raise: the op index of that macro → the op index of the trap, which is then
 * raised right after the call. An instruction with several macros raises its trap after all of them, and one that does
 * something between its macro and its trap (CVTPS2PI enters MMX state) raises it at its own place.
 */
export function foldableTraps(ops: readonly Op[]): ReadonlyMap<number, number> {
  const folded = new Map<number, number>();
  let macros: number[] = [];
  let lastEffect = -1;
  for (const [i, op] of ops.entries()) {
    if (op.kind === "inst") macros = [];
    else if (isFloatMacro(op)) macros.push(i);
    else if (op.kind === "trap" && op.when === i - 1 && isFloatTrap(ops[op.when]!) && macros.length === 1) {
      if (lastEffect < macros[0]!) folded.set(macros[0]!, i);
    }
    if (effects.has(op.kind)) lastEffect = i;
  }
  return folded;
}
