/**
 * Sites become functions, files and lines, through the files that were mapped; stores become variables, fields and
 * objects.
 */
export { type CodeLoop, codeLoopsAround } from "./code-loops.ts";
export { DebugFile } from "./debug-file.ts";
export { type Module, ModuleMap } from "./modules.ts";
export type { Confidence, Membership, StoredRange } from "./names/object-part.ts";
export { type StoreName, StoreNames, type StoreQuestion } from "./names/store-names.ts";
export { type RanFunction, ranFunctions } from "./ran-functions.ts";
export { type FrameMemory, type MappedCode, type PlaceInFile, Resolver, type ResolverOptions } from "./resolver.ts";
export { type CodeFile, openFrame, type Registers, type StackFrame } from "./stack.ts";
export { type CanonicalType, TypeTable } from "./type-table.ts";
