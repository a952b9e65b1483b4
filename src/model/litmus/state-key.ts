/**
 * A text for a state such that equal texts mean the same futures and the same crash states. Positions are counted within
 * each line, so that orders which no crash and no thread can tell apart meet in one state.
 */
import type { Line, Seq } from "../../base/index.ts";
import { type BufferEntry, countUpTo, type PendingFlush } from "../pmem/index.ts";
import { type Machine, type MachineState, visibleValue } from "./machine.ts";

type Parts = (string | number)[];

export function stateKey(machine: Machine, state: MachineState): string {
  const { model, locations } = machine;
  const visibleOnly = model.platform === "eadr" && !model.without.has("PM-32");
  const covered = (line: Line, covers: Seq): number =>
    visibleOnly ? 0 : countUpTo(state.pm.lines.get(line)?.log ?? [], covers);
  const parts: Parts = [];
  state.pm.threads.forEach(({ buffer, pending }, thread) => {
    parts.push(state.at[thread] as number, ...(state.registers[thread] as number[]), "b");
    for (const entry of buffer) addEntry(parts, entry, covered);
    parts.push("p");
    if (!visibleOnly) addPending(parts, pending, covered);
  });
  if (visibleOnly) parts.push("m", ...locations.map((_, location) => visibleValue(machine, state, location)));
  else addLines(parts, state, model.platform === "strict" || model.without.has("PM-25"));
  return parts.join(" ");
}

function addEntry(parts: Parts, entry: BufferEntry, covered: (line: Line, covers: Seq) => number): void {
  if (entry.kind === "sfence") parts.push("s");
  else if (entry.kind === "clflush") parts.push("l", entry.line);
  else if (entry.kind === "clflushopt") parts.push("o", entry.line, covered(entry.line, entry.covers));
  else parts.push(entry.kind === "store" ? "w" : "n", entry.address, entry.payload);
}

/** Of several waiting flushes of a line only the one that covers most matters. */
function addPending(
  parts: Parts,
  pending: readonly PendingFlush[],
  covered: (line: Line, covers: Seq) => number,
): void {
  const most = new Map<Line, number>();
  for (const { line, covers } of pending) most.set(line, Math.max(covered(line, covers), most.get(line) ?? 0));
  for (const [line, count] of [...most].sort((a, b) => a[0] - b[0])) parts.push(line, count);
}

/** With one cut through all lines the order between them matters too. */
function addLines(parts: Parts, { pm }: MachineState, orderMatters: boolean): void {
  for (const [line, { log, persisted }] of [...pm.lines].sort((a, b) => a[0] - b[0])) {
    parts.push("L", line, countUpTo(log, persisted));
    for (const store of log) parts.push(orderMatters ? store.seq : "", store.address, store.payload);
  }
}
