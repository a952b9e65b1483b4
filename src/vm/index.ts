/** The machine: load a program, run it until something happens, look at it, snapshot it, restore it. */
export type { FileEntry, FilesSnapshot as FilesNote, FileVersion, HostFiles, StreamPort } from "./files/index.ts";
export { KnownEntries, pathFromText, textFromPath } from "./files/index.ts";
export { type Outcome, signalName } from "./kernel/index.ts";
export * from "./machine/index.ts";
