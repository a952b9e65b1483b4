/**
 * A store that its transaction did not add, in the user's words. Always: it is told at that store, whatever a crash made of it.
 */
import type { Finding } from "../../crash/finding/index.ts";
import { changedOnLine } from "./changed-text.ts";
import type { ReadSource } from "./inlined-ends.ts";
import type { PlaceTable } from "./place-table.ts";
import { whereText } from "./place-text.ts";

export const unaddedRule = "unadded-store";

/** Beside the line that stores. */
export const notUndone = "a rollback does not undo this";

/** Whether a rule says that a transaction did not add what the line of `cause` stores. */
export function isUnadded({ rule, frames }: Finding, cause: number, places: PlaceTable): boolean {
  return rule.id === unaddedRule && whereText(places, places.add(frames)) === whereText(places, cause);
}

/** "book.c:65: book->count is changed in a transaction that did not add it"; `name` where the line does not say it. */
export function unaddedWords(
  { frames, repair }: Finding,
  name: string | undefined,
  places: PlaceTable,
  readSource: ReadSource = () => undefined,
) {
  const what = changedOnLine(frames[places.own(frames) ?? 0], readSource) ?? name;
  const where = whereText(places, places.add(frames));
  const changed = what === undefined ? `${where} changes memory` : `${where}: ${what} is changed`;
  const calls = "TX_ADD, TX_ADD_FIELD, pmemobj_tx_add_range_direct; in C++ snapshot, or p<> for the field";
  const known = repair !== undefined && "proposed" in repair;
  return {
    headline: `${changed} in a transaction that did not add it`,
    advice: `add ${what ?? "the range"} to the transaction before it changes${known ? "" : ` (${calls})`}`,
  };
}
