/**
 * A store that its transaction did not add, in the user's words. Always: it is told at that store, whatever a crash made of it.
 */
import type { Finding } from "../../crash/finding/index.ts";
import { changedText } from "./changed-text.ts";
import type { ReadSource } from "./inlined-ends.ts";
import type { PlaceTable } from "./place-table.ts";
import { whereText } from "./place-text.ts";

/** Beside the line that stores. */
export const notUndone = "a rollback does not undo this";

/** Whether a rule says that a transaction did not add what the line of `cause` stores. */
export function isUnadded({ rule, frames }: Finding, cause: number, places: PlaceTable): boolean {
  return rule.id === "unadded-store" && whereText(places, places.add(frames)) === whereText(places, cause);
}

/** "book.c:65: book->count is changed in a transaction that did not add it"; `name` where the line does not say it. */
export function unaddedWords(
  { rule, frames }: Finding,
  name: string | undefined,
  places: PlaceTable,
  readSource: ReadSource = () => undefined,
) {
  const { file, line, column } = frames[places.own(frames) ?? 0] ?? {};
  const text = file === undefined || line === undefined ? undefined : readSource(file)?.split("\n")[line - 1];
  const what = (text && changedText(text, column ?? 0)) ?? name;
  const where = whereText(places, places.add(frames));
  const changed = what === undefined ? `${where} changes memory` : `${where}: ${what} is changed`;
  return { headline: `${changed} in a transaction that did not add it`, advice: rule.advice };
}
