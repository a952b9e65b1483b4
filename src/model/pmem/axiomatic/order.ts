/**
 * Preserved program order (ppo): row earlier, column later. The table of Px86sim with non-temporal stores added
 * (docs/MODEL.md, section 1). Another model is another table.
 */
import { changeCells, failedCasIsLoad, type Order, type OrderTable, type PmModel } from "../model.ts";
import type { RuleId } from "../rules.ts";
import { type Event, type EventKind, isInitial } from "./graph.ts";

const columns = ["R", "W", "N", "U", "X", "MF", "SF", "FO", "FL"] as const;
const words: Readonly<Record<string, Order>> = { y: "always", l: "line", n: "never" };

function row(cells: string): Record<EventKind, Order> {
  const letters = cells.split(" ");
  return Object.fromEntries(columns.map((column, index) => [column, words[letters[index] as string]])) as Record<
    EventKind,
    Order
  >;
}

// biome-ignore format: columns stay aligned
const programOrder: OrderTable<EventKind> = {
  //       R W N U X M S O L      y always, l within one line, n never
  R:  row("y y y y y y y y y"),
  W:  row("n y l y y y y l y"),
  N:  row("n l l y y y y l y"),
  U:  row("y y y y y y y y y"),
  X:  row("y y y y y y y y y"),
  MF: row("y y y y y y y y y"),
  SF: row("n y y y y y y y y"),
  FO: row("n n n y y y y n l"),
  FL: row("n y y y y y y l y"),
};

type Cell = readonly [earlier: EventKind, later: EventKind, order: Order];

const cellsWithout: Partial<Record<RuleId, readonly Cell[]>> = {
  "PM-1": [["W", "W", "line"]],
  "PM-2": [["W", "R", "always"]],
  "PM-6": [
    ["W", "MF", "never"],
    ["N", "MF", "never"],
  ],
  "PM-8": [
    ["W", "U", "line"],
    ["N", "U", "line"],
    ["W", "X", "line"],
    ["N", "X", "line"],
  ],
  "PM-10": [["W", "FL", "line"]],
  "PM-13": (["R", "U", "X", "MF"] as const).flatMap((earlier): Cell[] => [
    [earlier, "FO", "never"],
    [earlier, "FL", "never"],
  ]),
  "PM-14": [["W", "FO", "never"]],
  "PM-15": [["SF", "FO", "never"]],
  "PM-16": [["W", "FO", "always"]],
  "PM-22": [["SF", "R", "always"]],
  "PM-26": [
    ["W", "N", "always"],
    ["N", "W", "always"],
    ["N", "N", "always"],
  ],
  "PM-27": [
    ["N", "SF", "never"],
    ["SF", "N", "never"],
  ],
};

const tables = new WeakMap<PmModel, OrderTable<EventKind>>();

function programOrderOf(model: PmModel): OrderTable<EventKind> {
  let table = tables.get(model);
  if (table === undefined) {
    const left = [...model.without].flatMap((rule) => cellsWithout[rule] ?? []);
    const changes = left.map(([earlier, later, order]) => ({ earlier, later, order }));
    table = changeCells(programOrder, [...changes, ...model.cells.filter((cell) => cell.table === "program")]);
    tables.set(model, table);
  }
  return table;
}

export const programKinds: readonly EventKind[] = columns;
export const programOrderCell = (earlier: EventKind, later: EventKind): Order => programOrder[earlier][later];

/** What the table says of two kinds under a model. */
export function programOrderUnder(model: PmModel, earlier: EventKind, later: EventKind): Order {
  return programOrderOf(model)[rowKind(earlier, model)][rowKind(later, model)];
}

/** Whether two events of one thread, given in program order, stay in order. Initial stores precede everything. */
export function isPreserved(earlier: Event, later: Event, model: PmModel): boolean {
  if (isInitial(earlier)) return true;
  const order = programOrderUnder(model, earlier.kind, later.kind);
  return order === "always" || (order === "line" && earlier.line !== undefined && earlier.line === later.line);
}

/** PM-9. Under the other reading a failed compare-and-swap is ordered like a load. */
const rowKind = (kind: EventKind, model: PmModel): EventKind => (kind === "X" && failedCasIsLoad(model) ? "R" : kind);
