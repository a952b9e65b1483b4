/**
 * A text for a state such that equal texts mean the same futures and the same crash states: positions are counted within each line,
 * and of stores that are sure to have survived only those count that are not overwritten.
 */
import type { Line, Seq } from "../../../base/index.ts";
import { countUpTo, type LineState, type PmModel, type PmState, type VisibleStore } from "../../../model/pmem/index.ts";
import type { ThreadPoint } from "./thread-points.ts";

export function scheduleKey(pm: PmState, points: readonly ThreadPoint[], model: PmModel): string {
  // Where one cut goes through all lines, the order between them matters, and with it every store.
  const isOrdered = model.platform !== "px86" || model.without.size > 0;
  const after = (line: Line, covers: Seq): number => {
    const found = pm.lines.get(line);
    return found === undefined ? 0 : Math.max(0, countUpTo(found.log, covers) - countUpTo(found.log, found.persisted));
  };
  const parts: (string | number)[] = points.map(({ id }) => id);
  for (const { buffer, pending } of pm.threads) {
    parts.push("b");
    for (const entry of buffer)
      if (entry.kind === "store" || entry.kind === "ntstore")
        parts.push(entry.kind, entry.address, entry.size, entry.payload);
      else if (entry.kind === "clflushopt") parts.push("o", entry.line, after(entry.line, entry.covers));
      else parts.push(entry.kind, entry.kind === "clflush" ? entry.line : "");
    parts.push("p");
    const waiting = pending.map(({ line, covers }) => [line, after(line, covers)] as const);
    for (const [line, count] of waiting.filter(([, more]) => more > 0).sort((a, b) => a[0] - b[0] || a[1] - b[1]))
      parts.push(line, count);
  }
  for (const [line, state] of [...pm.lines].sort((a, b) => a[0] - b[0])) {
    parts.push("L", line);
    for (const { address, size, payload, seq } of isOrdered ? state.log : live(state))
      parts.push(isOrdered ? seq : "", address, size, payload);
    parts.push("c", state.log.length - countUpTo(state.log, state.persisted));
  }
  return parts.join(" ");
}

/** The stores that a crash may still lose, and before them the last of each place. */
function live({ log, persisted }: LineState): readonly VisibleStore[] {
  const count = countUpTo(log, persisted);
  return log.filter(
    ({ address, size }, index) =>
      index >= count || !log.slice(index + 1, count).some((later) => later.address === address && later.size === size),
  );
}
