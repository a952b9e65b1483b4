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

/** Every helper of isa/ir/helpers.ts, on the CPU block in this memory. Told first: the work of those that may take long. */
export function createFloatHelpers(memory: ArrayBufferLike, worked: () => void = () => undefined): FloatHelpers {
  const { sse, ...sseHelpers } = createSseHelpers(memory);
  const { x87, ...x87Helpers } = createX87Helpers(memory);
  return {
    ...sseHelpers,
    ...x87Helpers,
    sse: (macro, control) => {
      worked();
      return sse(macro, control);
    },
    x87: (code, first, second, instruction, data) => {
      worked();
      return x87(code, first, second, instruction, data);
    },
  };
}

export type FloatHelpers = SseHelpers & X87Helpers;

export type { MacroBody, MacroContext } from "./context.ts";
export { emitMayTrap, emitModeIsUnusual } from "./float-bodies.ts";
export { type InlinePath, inlinePath } from "./inline.ts";
