export { type Arena, lastTarget, type WrittenBlock, writeBlock } from "./bytecode.ts";
export { contextBytes } from "./contexts.ts";
export { forgetAll, remember } from "./dispatch.ts";
export { type EventKind, eventBytes, eventKinds } from "./events.ts";
export { hashShift } from "./interpreter.ts";
export * from "./layout.ts";
export { createFloatHelpers, emitModeIsUnusual, type InlinePath, inlinePath } from "./macros/index.ts";
export { createRuntime, type Runtime, type RuntimeImports, regionTableSize } from "./module.ts";
export { header } from "./opcodes.ts";
