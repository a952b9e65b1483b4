/** Sites become functions, files and lines, through the files that were mapped. */
export { type Module, ModuleMap } from "./modules.ts";
export { type FrameMemory, type PlaceInFile, Resolver, type ResolverOptions } from "./resolver.ts";
export { type CodeFile, openFrame, type Registers, type StackFrame } from "./stack.ts";
export { type CanonicalType, TypeTable } from "./type-table.ts";
