/** Insertions as patches of the machine: no rebuild, the same schedule, and every event but the inserted ones as before. */

import type { CodePlace, Patch } from "../../machine/index.ts";
import type { ModuleMap } from "../../program/symbols/index.ts";
import type { TraceTables } from "../../trace/events/index.ts";
import type { Insert, InsertAfter } from "./inserts.ts";

/** Where a traced run had its code. */
export interface CodeMap {
  readonly tables: TraceTables;
  readonly modules: ModuleMap;
  /** Whether a module is the user's to change. */
  isOwn(module: string): boolean;
}

const opOf = { flush: "clwb", fence: "sfence" } as const;

/** Undefined where the code is of no file. */
export function codePlace({ modules }: CodeMap, address: number): CodePlace | undefined {
  const module = modules.at(address);
  return module && { module: module.path, offset: address - module.start + module.offset };
}

/** One of those that insertions are made of. */
export type InsertPatch = Patch & { readonly insert: (typeof opOf)[keyof typeof opOf] };

/** In a library, only below the user's own call. Undefined where the code is of no file. */
export function patchOf({ op, after }: InsertAfter, map: CodeMap): InsertPatch | undefined {
  const at = codePlace(map, after.site);
  if (at === undefined) return undefined;
  const insert = opOf[op];
  if (map.isOwn(at.module)) return { insert, at };
  const returns = map.tables.contexts.stack(after.stack).map((address) => codePlace(map, address));
  const below = returns.find((place) => place !== undefined && map.isOwn(place.module));
  return below === undefined ? undefined : { insert, at, below };
}

/**
 * The same as a persistent subprogram: a flush only below the call that is so many levels above the store, and a fence when that
 * call has returned. Undefined where there is no such call.
 */
export function calledPatches(
  { after }: Insert,
  level: number,
  map: CodeMap,
): readonly [InsertPatch, InsertPatch] | undefined {
  const returns = map.tables.contexts.stack(after.stack)[level - 1];
  const [at, below] = [codePlace(map, after.site), returns === undefined ? undefined : codePlace(map, returns)];
  if (at === undefined || below === undefined) return undefined;
  return [
    { insert: opOf.flush, at, below },
    { insert: opOf.fence, at: below },
  ];
}

/** A fence after the instruction at an address; undefined where the code is of no file. */
export function fenceAt(address: number, map: CodeMap): InsertPatch | undefined {
  const at = codePlace(map, address);
  return at && { insert: opOf.fence, at };
}

export const patchKey = ({ insert, at, below, until = [] }: Patch): string =>
  [insert, at, below, ...until].map((one) => (typeof one === "object" ? `${one.module} ${one.offset}` : one)).join("|");
