/**
 * What a compiler may write in place of a call to a macro: code for the usual case, and when to call the macro after
 * all. The macro computes everything anew, so nothing of the short way needs to be kept.
 */
import { type FloatMacroName, floatMacros, type MacroName } from "../../../isa/ir/index.ts";
import type { Code } from "../../../isa/wasm/index.ts";
import { floatPaths } from "./float-paths.ts";

export interface InlinePath {
  /** Leaves the value, computed from the arguments' locals. */
  readonly emit: (c: Code, args: readonly number[]) => void;
  /**
   * Whether to call the macro instead if the value left is a NaN in some lane. MXCSR's control bits must be the default
   * ones (`emitModeIsUnusual`) in any case.
   */
  readonly repairsNan: boolean;
}

const isFloat = (name: MacroName): name is FloatMacroName => name in floatMacros;

/** `constants[i]` is the i-th argument's value where it is known. Undefined: always call. */
export function inlinePath(name: MacroName, constants: readonly (bigint | undefined)[]): InlinePath | undefined {
  if (!isFloat(name)) return undefined;
  const path = floatPaths[name];
  const { emit } = path;
  if (emit === undefined || path.isLong) return undefined;
  const repairsNan = path.nan !== undefined;
  if (!path.normalize) return { emit: (c, args) => emit(c, args, 0), repairsNan };
  const given = constants.at(floatMacros[name].params.length - 1);
  if (given === undefined) return undefined;
  const control = path.normalize(Number(given));
  return { emit: (c, args) => emit(c, args.slice(0, -1), control), repairsNan };
}
