/**
 * Floating-point macros in place of calls: the short way that the runtime offers (machine/runtime/macros/inline.ts), and the
 * call where a NaN has to be made x86's. Always: a region with such macros runs only while MXCSR's control bits are the
 * default ones and its status flags are not kept. It asks at its start and where it takes state over from memory, and
 * else leaves the block to the interpreter; nothing in between changes them. So no exception is ever raised, and macros
 * are functions of their arguments.
 *
 * A region that was left to the interpreter again and again is compiled anew so that it calls its macros
 * (`CodeSource.callsFloats`). Those see to rounding and flags, in the order of the program, and it runs wherever all
 * exceptions are masked.
 */
import { floatMacros, type MacroName, type Op, pureSignature } from "../../isa/ir/index.ts";
import type { Code } from "../../isa/wasm/index.ts";
import { inlinePath } from "../runtime/index.ts";
import type { Region } from "./region.ts";
import type { RegionState } from "./state.ts";

type Pure = Op & { readonly kind: "pure" };

/** The same region without asking for exceptions that cannot be. */
export const withoutFloatTraps = (region: Region): Region => ({
  ...region,
  nodes: region.nodes.map((node) => ({ ...node, block: { ...node.block, ops: node.block.ops.map(withoutTrap) } })),
});
const nothing: Op = { kind: "const", type: "i32", value: 0n };
const withoutTrap = (op: Op, _index: number, ops: readonly Op[]): Op =>
  isLane(op)
    ? { ...op, op: "v128.or", args: [op.args[1]!, op.args[1]!] }
    : isFloatTrap(op) || (op.kind === "trap" && isFloatTrap(ops[op.when]!))
      ? nothing
      : op;

export const isFloatMacro = (op: Op): boolean => op.kind === "pure" && op.op in floatMacros;
const isLane = (op: Op): op is Pure => op.kind === "pure" && op.op === "x86.float_lane";
/** Asks whether an exception is to be raised, and takes it back. */
const isFloatTrap = (op: Op): boolean => op.kind === "pure" && op.op.startsWith("x86.float_trap");

/** Leaves i32 1 if a lane of the local is a NaN; `type` as it stands in the macro's name. */
function writeIsNan(c: Code, type: string, local: number): void {
  c.get(local)
    .get(local)
    .op(`${type}.ne` as "f64.ne");
  // V8 branches on a mask in a general register at once; on v128.any_true it makes a 0 or 1 of it first.
  if (type === "f64x2") c.op("i64x2.bitmask");
  else if (type === "f32x4") c.op("i32x4.bitmask");
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
  path.emit(c, args);
  if (!path.repairsNan) return true;
  const { result } = pureSignature(op.op);
  const value = state.take(result);
  c.set(value);
  writeIsNan(c, op.op.split(".")[1]!, value);
  c.if_("none", 0);
  call();
  c.set(value).end();
  c.get(value);
  state.give(result, value);
  return true;
}
