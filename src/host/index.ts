/** The only real files, streams and clock. Everything else takes them as parameters. */
export * from "./clock.ts";
export { tuneEngine } from "./engine.ts";
export { RealFiles } from "./files.ts";
export { watchInterrupts } from "./interrupts.ts";
export { type MemoryEntry, MemoryFiles } from "./memory-files.ts";
export { importModule, importWith } from "./modules.ts";
export { ScratchFile, type SharedScratch } from "./scratch.ts";
export * from "./streams.ts";
