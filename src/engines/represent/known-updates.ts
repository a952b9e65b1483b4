/**
 * What the runs of one analysis have in common: types, fields and statements by number, and what was tested of them. A run
 * by itself has one of its own; several inputs share one, so that what looks like a tested update of an earlier run stands
 * for it there.
 */
import { TypeTable } from "../../program/symbols/index.ts";
import type { Outline } from "./outline.ts";
import { PartTable } from "./part-table.ts";

/** Statements of the user's, with their callers, by number. */
export class StatementTable {
  readonly #numbers = new Map<string, number>();
  /** By statement: the function that it is in. */
  readonly functions: (string | undefined)[] = [];

  number(text: string, inFunction: string | undefined): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.functions.length);
    return this.functions.push(inFunction) - 1;
  }
}

export class KnownUpdates {
  readonly types = new TypeTable();
  readonly parts = new PartTable();
  readonly statements = new StatementTable();
  /** Of representatives that were tested. */
  readonly outlines: Outline[] = [];
  /** Statements of tested behaviours. */
  readonly tested = new Set<number>();
}
