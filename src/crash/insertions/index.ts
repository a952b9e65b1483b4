/** Flushes and fences that a program lacks: which ones make a store durable in time, and as patches of the running machine. */
export {
  fenceAfter,
  firstDependent,
  firstKept,
  firstPromise,
  type Insert,
  type InsertAfter,
  insertsFor,
  isDurableBefore,
} from "./inserts.ts";
export { type CodeMap, calledPatches, codePlace, fenceAt, type InsertPatch, patchKey, patchOf } from "./virtual.ts";
