export { type Arena, makeStale, targetsSeen, type WrittenBlock, writeBlock } from "./bytecode.ts";
export { contextBytes } from "./contexts.ts";
export { emitFindBlock, forget, forgetAll, remember } from "./dispatch.ts";
export { writeCarry } from "./flags.ts";
export * from "./layout.ts";
export { createFloatHelpers, emitMayTrap, emitModeIsUnusual, type InlinePath, inlinePath } from "./macros/index.ts";
export { buildRuntime, createRuntime, type Runtime, type RuntimeImports, regionTableSize } from "./module.ts";
export { header } from "./opcodes.ts";
export { overwritten } from "./watch.ts";
