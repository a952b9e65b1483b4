/**
 * Fences given, flushes generated (`fix --durable`): every store is flushed before the next fence of its thread, which is what the
 * program's fences are there for. Hippocrates makes all of Redis' flushes that way (its section 3.6.3). Always:
 * - A store that the program flushes itself before that fence gets nothing; one that no fence follows has nothing to be flushed for.
 * - Of flushes of one line before one fence, the last alone stays, wherever the run comes by.
 */
import { assert } from "../../base/index.ts";
import { type CodeMap, patchKey, patchOf } from "../../crash/insertions/index.ts";
import type { Patch } from "../../machine/index.ts";
import type { Places } from "../../session/subject/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import type { PatchedInsert } from "./repair.ts";

const LINE_BYTES = 64;
const lineOf = (address: number): number => Math.floor(address / LINE_BYTES);
const fences: ReadonlySet<string> = new Set(["sfence", "mfence"]);
const flushes: ReadonlySet<string> = new Set(["clflush", "clflushopt", "clwb"]);

/** A store of one line, the fence that it is to be durable at, and what flushes it until then: patches by number, or the program. */
interface Unflushed {
  readonly store: TraceEvent;
  readonly fence: TraceEvent;
  readonly by: readonly (number | "program")[];
}

/** Every store that a fence of its thread follows, once for each line that it touches. */
export function storesBeforeFences(trace: Trace): readonly Unflushed[] {
  const waiting = new Map<number, Map<number, { store: TraceEvent; by: (number | "program")[] }[]>>();
  const found: Unflushed[] = [];
  const ofThread = (thread: number) => {
    if (!waiting.has(thread)) waiting.set(thread, new Map());
    return waiting.get(thread)!;
  };
  for (const event of eventsBetween(trace, 0, trace.count)) {
    const lines = ofThread(event.thread);
    if (event.kind === "store") {
      for (let line = lineOf(event.address); line <= lineOf(event.address + event.size - 1); line++)
        lines.set(line, [...(lines.get(line) ?? []), { store: event, by: [] }]);
    } else if (flushes.has(event.kind) && "address" in event) {
      const patch = "patch" in event ? event.patch : undefined;
      for (const { by } of lines.get(lineOf(event.address)) ?? []) by.push(patch ?? "program");
    } else if (fences.has(event.kind)) {
      for (const { store, by } of [...lines.values()].flat()) found.push({ store, fence: event, by });
      lines.clear();
    }
  }
  return found;
}

/** A flush after each instruction whose store is not flushed in time; undefined for code that is of no file. */
export function missingFlushes(trace: Trace, places: Places, map: CodeMap): readonly PatchedInsert[] {
  const inserts = new Map<string, PatchedInsert>();
  for (const { store, fence, by } of storesBeforeFences(trace)) {
    const patch = by.length > 0 ? undefined : patchOf({ op: "flush", after: store }, map);
    if (patch === undefined || inserts.has(patchKey(patch))) continue;
    const frames = places.resolver.frames(fence.site, fence.stack);
    inserts.set(patchKey(patch), { op: "flush", after: store, patch, by: { site: fence.site, frames } });
  }
  return [...inserts.values()];
}

/** Without the flushes that a later one of the same line makes needless each time; `trace` is of the run with all of them. */
export function neededFlushes(patches: readonly Patch[], trace: Trace): readonly Patch[] {
  const needs = storesBeforeFences(trace).filter(({ by }) => by.length > 0 && !by.includes("program"));
  const left = new Set<number>();
  const remains = (one: Unflushed) => one.by.some((patch) => patch === "program" || !left.has(patch));
  const users = new Map<number, Unflushed[]>();
  for (const need of needs)
    for (const patch of new Set(need.by)) {
      assert(patch !== "program", "what the program flushes needs no patch");
      users.set(patch, [...(users.get(patch) ?? []), need]);
    }
  for (const [number] of patches.entries()) {
    left.add(number);
    if (!(users.get(number) ?? []).every(remains)) left.delete(number);
  }
  return patches.filter((_patch, number) => !left.has(number));
}

/** How many stores are not flushed before the fence that follows them. */
export const unflushedStores = (trace: Trace): number =>
  storesBeforeFences(trace).filter(({ by }) => by.length === 0).length;
