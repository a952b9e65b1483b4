/** What the body of a macro may refer to: other functions of the runtime module, by index. */
import type { HelperName, MacroName } from "../../ir/index.ts";
import type { Code } from "../../wasm/index.ts";

export interface MacroContext {
  readonly macro: (name: MacroName) => number;
  readonly helper: (name: HelperName) => number;
}

/** Writes the body; the function's type is the macro's row in ir/macros.ts. */
export type MacroBody = (context: MacroContext) => Code;
