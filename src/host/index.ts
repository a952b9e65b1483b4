/** The only real files, streams and clock. Everything else takes them as parameters. */
export * from "./clock.ts";
export { RealFiles } from "./files.ts";
export { type MemoryEntry, MemoryFiles } from "./memory-files.ts";
export * from "./streams.ts";
