/**
 * What persistent memory may hold when the power fails in a given state (docs/MODEL.md, PM-23 to PM-25, PM-29, PM-32).
 * A crash state is a choice of one cut in every window; stores before the cut survive, later ones do not.
 * Always: a window's candidates are in visible order, and `from` of them are sure to survive.
 */
import type { Line, Seq } from "../../../base/index.ts";
import type { PmModel } from "../model.ts";
import { countUpTo, type PmState, type VisibleStore } from "./state.ts";

/** Any number of `stores` between `from` and `to` survive, oldest first. */
export interface CrashWindow {
  readonly stores: readonly VisibleStore[];
  readonly from: number;
  readonly to: number;
}

export function crashWindows(state: PmState, model: PmModel): CrashWindow[] {
  const platform = model.platform === "eadr" && model.without.has("PM-32") ? "px86" : model.platform;
  if (platform === "eadr") return wholeWindows(state, (stores) => stores.length);
  if (platform === "strict" || model.without.has("PM-25")) return wholeWindows(state, persistedPrefix(state));
  const windows: CrashWindow[] = [];
  for (const { log, persisted } of state.lines.values()) {
    const groups = model.without.has("PM-24") ? byAddress(log) : [log];
    for (const stores of groups) {
      const from = countUpTo(stores, persisted);
      windows.push({ stores, from, to: model.without.has("PM-29") ? from : stores.length });
    }
  }
  return windows;
}

/** The lines a crash here can leave in more than one state, with their windows: what an explorer has to branch on. */
export function openLines(state: PmState): Line[] {
  return [...state.lines]
    .filter(([, { log, persisted }]) => countUpTo(log, persisted) < log.length)
    .map(([line]) => line);
}

/** PM-32, strict: one cut through the stores of all lines together. */
function wholeWindows(state: PmState, from: (stores: readonly VisibleStore[]) => number): CrashWindow[] {
  const stores = [...state.lines.values()].flatMap(({ log }) => log).sort((a, b) => a.seq - b.seq);
  return [{ stores, from: from(stores), to: stores.length }];
}

function persistedPrefix(state: PmState): (stores: readonly VisibleStore[]) => number {
  const persisted = (store: VisibleStore) => store.seq <= (state.lines.get(store.line)?.persisted ?? (0 as Seq));
  return (stores) => stores.findLastIndex(persisted) + 1;
}

function byAddress(log: readonly VisibleStore[]): VisibleStore[][] {
  const groups = new Map<number, VisibleStore[]>();
  for (const store of log) groups.set(store.address, [...(groups.get(store.address) ?? []), store]);
  return [...groups.values()];
}
