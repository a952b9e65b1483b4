/**
 * Which buffered operations of one thread leave the store buffer in order (row earlier, column later): Px86sim, and for
 * non-temporal stores the reading in docs/MODEL.md, PM-26 to PM-28. Loads, mfence and locked operations never wait in a
 * buffer; the rules for them are conditions on issuing (issue.ts).
 */

import { changeCells, type Order, type OrderTable, type PmModel } from "../model.ts";
import type { RuleId } from "../rules.ts";
import type { BufferEntry, BufferKind } from "./state.ts";

const row = (store: Order, ntstore: Order, clflush: Order, clflushopt: Order, sfence: Order) => ({
  store,
  ntstore,
  clflush,
  clflushopt,
  sfence,
});

// biome-ignore format: columns stay aligned
const bufferOrder: OrderTable<BufferKind> = {
  //               store     ntstore   clflush   clflushopt sfence
  store:      row("always", "line",   "always", "line",    "always"),
  ntstore:    row("line",   "line",   "always", "line",    "always"),
  clflush:    row("always", "always", "always", "line",    "always"),
  clflushopt: row("never",  "never",  "line",   "never",   "always"),
  sfence:     row("always", "always", "always", "always",  "always"),
};

type Cell = readonly [earlier: BufferKind, later: BufferKind, order: Order];

/** What the table looks like when a rule is left out. */
const cellsWithout: Partial<Record<RuleId, readonly Cell[]>> = {
  "PM-1": [["store", "store", "line"]],
  "PM-10": [["store", "clflush", "line"]],
  "PM-11": [["clflush", "store", "never"]],
  "PM-14": [["store", "clflushopt", "never"]],
  "PM-15": [["sfence", "clflushopt", "never"]],
  "PM-16": [["store", "clflushopt", "always"]],
  "PM-26": [
    ["ntstore", "store", "always"],
    ["store", "ntstore", "always"],
    ["ntstore", "ntstore", "always"],
  ],
  "PM-27": [
    ["ntstore", "sfence", "never"],
    ["sfence", "ntstore", "never"],
  ],
};

const tables = new WeakMap<PmModel, OrderTable<BufferKind>>();

export function bufferOrderOf(model: PmModel): OrderTable<BufferKind> {
  if (model.without.size === 0 && model.cells.length === 0) return bufferOrder;
  let table = tables.get(model);
  if (table === undefined) {
    const left = [...model.without].flatMap((rule) => cellsWithout[rule] ?? []);
    const changes = left.map(([earlier, later, order]) => ({ earlier, later, order }));
    table = changeCells(bufferOrder, [...changes, ...model.cells.filter((cell) => cell.table === "buffer")]);
    tables.set(model, table);
  }
  return table;
}

/** The kinds in table order, for tests that visit every cell. */
export const bufferKinds = Object.keys(bufferOrder) as BufferKind[];
export const bufferOrderCell = (earlier: BufferKind, later: BufferKind): Order => bufferOrder[earlier][later];

export function mustLeaveFirst(table: OrderTable<BufferKind>, earlier: BufferEntry, later: BufferEntry): boolean {
  const order = table[earlier.kind][later.kind];
  if (order !== "line") return order === "always";
  return earlier.kind !== "sfence" && later.kind !== "sfence" && earlier.line === later.line;
}
