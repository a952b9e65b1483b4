export type { CommandInput, UnknownCommand } from "./command-inputs.ts";
export { type SearchPolicy, searches } from "./search.ts";
export { type FoundByInput, runSymbolic, type SymbolicOptions, type SymbolicResult } from "./session.ts";
