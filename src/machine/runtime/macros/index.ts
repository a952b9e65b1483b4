/** The macros of isa/ir/macros.ts as WebAssembly functions, what compilers may inline of them, and their JavaScript part. */
import type { MacroName } from "../../../isa/ir/index.ts";
import { approximationBodies } from "./approximations.ts";
import type { MacroBody } from "./context.ts";
import { floatBodies, trapBodies } from "./float-bodies.ts";
import { integerBodies } from "./integer.ts";
import { createSseHelpers, type SseHelpers } from "./sse-helper.ts";
import { stringBodies } from "./strings.ts";
import { createX87Helpers, type X87Helpers } from "./x87-helper.ts";

export const macroBodies: Readonly<Record<MacroName, MacroBody>> = {
  ...integerBodies,
  ...floatBodies,
  ...trapBodies,
  ...approximationBodies,
  ...stringBodies,
};

/** Every helper of isa/ir/helpers.ts, on the CPU block in this memory. */
export const createFloatHelpers = (memory: ArrayBufferLike): SseHelpers & X87Helpers => ({
  ...createSseHelpers(memory),
  ...createX87Helpers(memory),
});

export type { MacroBody, MacroContext } from "./context.ts";
export { emitMayTrap, emitModeIsUnusual } from "./float-bodies.ts";
export { type InlinePath, inlinePath } from "./inline.ts";
