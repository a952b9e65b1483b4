/** What the body of a macro may refer to: other functions of the runtime module, by index. */
import type { HelperName, MacroName } from "../../../isa/ir/index.ts";
import type { Code } from "../../../isa/wasm/index.ts";

export interface MacroContext {
  readonly macro: (name: MacroName) => number;
  readonly helper: (name: HelperName) => number;
}

/** Writes the body; the function's type is the macro's row in isa/ir/macros.ts. */
export type MacroBody = (context: MacroContext) => Code;
