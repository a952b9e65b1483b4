/**
 * What a persistency model may be told: the platform, the reading of a failed compare-and-swap, and, for mutation tests
 * only, rules to leave out (docs/MODEL.md). Plain data; both models take it and share nothing else but these names.
 */
import type { RuleId } from "./rules.ts";

/**
 * px86: lines persist independently (the default). strict: stores persist in the order they became visible, possibly
 * late. eadr: whatever is visible survives.
 */
export type Platform = "px86" | "eadr" | "strict";

/** A failed compare-and-swap is a full fence and completes flushes, or (Cho et al.) a plain load. */
export type FailedCas = "fence" | "load";

/** Whether two operations of one thread stay in order: always, only within one line, or never. */
export type Order = "always" | "line" | "never";

/** One cell of an order table, replaced: used to show that tests notice every cell. */
export interface CellChange {
  readonly table: "buffer" | "program";
  readonly earlier: string;
  readonly later: string;
  readonly order: Order;
}

export interface PmModel {
  readonly platform: Platform;
  readonly failedCas: FailedCas;
  readonly without: ReadonlySet<RuleId>;
  readonly cells: readonly CellChange[];
}

export const px86: PmModel = { platform: "px86", failedCas: "fence", without: new Set(), cells: [] };

export const withPlatform = (model: PmModel, platform: Platform): PmModel => ({ ...model, platform });

export const withoutRule = (model: PmModel, rule: RuleId): PmModel => ({
  ...model,
  without: new Set([...model.without, rule]),
});

/** PM-9 left out is the other reading of a failed compare-and-swap. */
export const failedCasIsLoad = (model: PmModel): boolean => model.failedCas === "load" || model.without.has("PM-9");

export type OrderTable<Kind extends string> = Readonly<Record<Kind, Readonly<Record<Kind, Order>>>>;

/** A table with some cells replaced; the given table is not touched. */
export function changeCells<Kind extends string>(
  table: OrderTable<Kind>,
  changes: readonly { readonly earlier: string; readonly later: string; readonly order: Order }[],
): OrderTable<Kind> {
  if (changes.length === 0) return table;
  const copy = structuredClone(table) as Record<string, Record<string, Order>>;
  for (const change of changes) {
    const row = copy[change.earlier];
    if (row !== undefined && change.later in row) row[change.later] = change.order;
  }
  return copy as OrderTable<Kind>;
}
