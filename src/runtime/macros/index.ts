/** The macros of ir/macros.ts as WebAssembly functions, what compilers may inline of them, and their JavaScript part. */
import type { MacroName } from "../../ir/index.ts";
import { approximationBodies } from "./approximations.ts";
import type { MacroBody } from "./context.ts";
import { floatBodies, trapBodies } from "./float-bodies.ts";
import { integerBodies } from "./integer.ts";
import { stringBodies } from "./strings.ts";

export const macroBodies: Readonly<Record<MacroName, MacroBody>> = {
  ...integerBodies,
  ...floatBodies,
  ...trapBodies,
  ...approximationBodies,
  ...stringBodies,
};

export type { MacroBody, MacroContext } from "./context.ts";
export { emitModeIsUnusual } from "./float-bodies.ts";
export { createFloatHelpers, type FloatHelpers } from "./float-helper.ts";
export { type InlinePath, inlinePath } from "./inline.ts";
