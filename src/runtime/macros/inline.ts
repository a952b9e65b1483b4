/**
 * What a compiler may write in place of a call to a macro: code for the usual case, and when to call the macro after
 * all. The macro computes everything anew, so nothing of the short way needs to be kept.
 */
import { type FloatMacroName, floatMacros, type MacroName } from "../../ir/index.ts";
import type { Code } from "../../wasm/index.ts";
import { cell, cpuAddress } from "../layout.ts";
import { floatPaths } from "./float-paths.ts";

export interface InlinePath {
  /** Leaves the value, computed from the arguments' locals. */
  readonly emit: (c: Code, args: readonly number[]) => void;
  /**
   * When to call the macro instead. `mode`: MXCSR's control bits are not the default (`emitModeIsUnusual`);
   * `mode or nan`: that, or the value left is a NaN in some lane; `nonzero`: the i32 left is not 0.
   */
  readonly unless: "mode" | "mode or nan" | "nonzero";
}

const trapPending: InlinePath = {
  emit: (c) => c.i32(0).memory("i32.load", cpuAddress(cell.floatTrap)),
  unless: "nonzero",
};

const isFloat = (name: MacroName): name is FloatMacroName => name in floatMacros;

/** `constants[i]` is the i-th argument's value where it is known. Undefined: always call. */
export function inlinePath(name: MacroName, constants: readonly (bigint | undefined)[]): InlinePath | undefined {
  if (name === "x86.float_trap" || name === "x86.float_trap_i32") return trapPending;
  if (!isFloat(name)) return undefined;
  const path = floatPaths[name];
  const unless = path.nan ? "mode or nan" : "mode";
  if (!path.normalize) return { emit: (c, args) => path.emit(c, args, 0), unless };
  const given = constants.at(floatMacros[name].params.length - 1);
  if (given === undefined) return undefined;
  const control = path.normalize(Number(given));
  return { emit: (c, args) => path.emit(c, args.slice(0, -1), control), unless };
}
