/** Flushes and fences that a program lacks: which ones make a store durable in time, and as patches of the running machine. */
export { fenceAfter, firstDependent, type Insert, insertsFor } from "./inserts.ts";
export { type CodeMap, type InsertPatch, patchKey, patchOf } from "./virtual.ts";
