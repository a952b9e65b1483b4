export * from "./block.ts";
export * from "./flags.ts";
export { type FloatMacroName, floatMacroNames, floatMacros } from "./float-macros.ts";
export { type Helper, type HelperName, helpers } from "./helpers.ts";
export { type Macro, type MacroName, macros } from "./macros.ts";
export * from "./mxcsr.ts";
export * from "./registers.ts";
export { opArgs, opParams, opType, pureSignature } from "./types.ts";
export { verifyBlock } from "./verify.ts";
