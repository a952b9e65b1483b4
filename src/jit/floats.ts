/**
 * Floating-point macros in place of calls: the short way that the runtime offers (runtime/macros/inline.ts), and the
 * call where MXCSR is set up unusually or a NaN has to be made x86's. Whether MXCSR is unusual is kept in a local,
 * asked for at the region's start, after guest calls and after helpers.
 */
import { floatMacros, type MacroName, type Op, pureSignature } from "../ir/index.ts";
import { inlinePath } from "../runtime/index.ts";
import type { Code } from "../wasm/index.ts";
import type { RegionState } from "./state.ts";

type Pure = Op & { readonly kind: "pure" };

export const isFloatMacro = (op: Op): boolean => op.kind === "pure" && op.op in floatMacros;
/** Asks whether an exception is to be raised, and takes it back. */
export const isFloatTrap = (op: Op): boolean => op.kind === "pure" && op.op.startsWith("x86.float_trap");

/** Leaves i32 1 if a lane of the local is a NaN; `type` as it stands in the macro's name. */
function writeIsNan(c: Code, type: string, local: number): void {
  c.get(local)
    .get(local)
    .op(`${type}.ne` as "f64.ne");
  if (type.includes("x")) c.op("v128.any_true");
}

/**
 * Leaves the macro's value, false if there is no short way. `args` are the arguments' locals and `constants` the values
 * of those that are known; a control argument's local is not used.
 */
export function writeFloatMacro(
  state: RegionState,
  op: Pure,
  args: readonly number[],
  constants: readonly (bigint | undefined)[],
  call: () => void,
): boolean {
  const path = inlinePath(op.op as MacroName, constants);
  if (!path) return false;
  const c = state.code;
  const { result } = pureSignature(op.op);
  const done = c.block(result);
  const slow = c.block();
  c.get(state.floatMode).brIf(slow, 0);
  path.emit(c, args);
  if (path.unless === "mode or nan") {
    const value = state.take(result);
    c.set(value);
    writeIsNan(c, op.op.split(".")[1]!, value);
    c.brIf(slow, 0);
    c.get(value);
    state.give(result, value);
  }
  c.br(done);
  c.end();
  call();
  c.end();
  return true;
}
