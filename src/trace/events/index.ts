/** The trace: what reached persistent memory, in order, and how it is kept, written and read. */

export { eventsBetween, hasStores, notesIn } from "./between.ts";
export * from "./btrace/index.ts";
export { crc32 } from "./crc32.ts";
export { DeclaredMemory } from "./declared.ts";
export * from "./events.ts";
export type { Frame } from "./frame.ts";
export * from "./pmemcheck/index.ts";
export { Recorder } from "./recorder.ts";
export * from "./requests.ts";
export { openSharedTrace, type SharedTrace, shareTrace } from "./shared.ts";
export type { EventSink, SinkFactory } from "./sink.ts";
export { EventStore, type EventStoreOptions, replay, type SpillFile, type Trace, type TraceParts } from "./store.ts";
export { ContextTree, NamedSites, newTables, TextTable, type TraceTables } from "./tables.ts";
export { isWritten, type Written, writtenLength } from "./written.ts";
