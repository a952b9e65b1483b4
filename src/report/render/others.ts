/**
 * What is told in a line or a row each, unless somebody asks for all: what no crash shows to be wrong, by place; and what
 * happens inside libraries, where the user cannot change it.
 */
import { printable } from "../../base/index.ts";
import { loadedByRecovery } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { framesOf } from "../document/index.ts";
import { actsByItself } from "./inside-library.ts";
import { whereText } from "./place-text.ts";
import { wrapped } from "./wrap.ts";

/** Whether a finding lies wholly inside a library: the user's code called it, or nothing of theirs did. */
export function insideLibrary(tables: document.PlaceTables, place: number): boolean {
  const own = tables.places[place]?.own;
  if (own === undefined) return true;
  const called = own === 0 ? undefined : framesOf(tables, place)[own - 1];
  return called?.library === true && actsByItself(called);
}

export interface Sorted {
  /** Told in full. */
  readonly full: readonly document.Finding[];
  /** A row for each place. */
  readonly rows: readonly document.Finding[];
  readonly inLibraries: readonly document.Finding[];
}

/** Warnings without which the verdict would be taken for one. */
const ofTheVerdict: ReadonlySet<string> = new Set(["recovery-reads-nothing"]);

/** A crash is told in full whatever its severity: it was seen, and there are few. */
export function sorted(report: document.Report, all: boolean): Sorted {
  const isFull = ({ rule, severity, cut }: document.Finding) =>
    all || severity === "error" || cut !== undefined || ofTheVerdict.has(rule);
  const others = report.findings.filter((finding) => !isFull(finding));
  const isInside = ({ places }: document.Finding) => insideLibrary(report, places[0]?.place ?? -1);
  return {
    full: report.findings.filter(isFull),
    rows: others.filter((finding) => !isInside(finding)),
    inLibraries: others.filter(isInside),
  };
}

const mostRows = 12;

/** "flush-clean (20 times)". */
const ruleText = ([rule, count]: readonly [string, number]): string =>
  printable(count === 1 ? rule : `${rule} (${count} times)`);

/** What stands above the rows, or before the only one. A trace alone has no crash to show for anything. */
function heading({ coverage }: document.Report, { full }: Sorted, rows: number): string {
  const what = full.length > 0 || coverage !== undefined ? "Also" : "By place";
  if (rows === 1) return `${what} (details: --show all):`;
  return `${what}${coverage === undefined ? "" : ", without a crash to show for it"} (details: --show all):`;
}

/** A row for each place: which rules, how often. */
export function otherLines(report: document.Report, sortedFindings: Sorted, width: number): string[] {
  const rows = rowLines(report, sortedFindings, width);
  const [only] = rows;
  if (only === undefined) return [];
  const title = heading(report, sortedFindings, rows.length);
  return rows.length > 1 ? [title, ...rows] : wrapped(`${title} ${only.trimStart().replace("  ", " ")}`, width, "  ");
}

/** Where recovery loads the word that nobody flushes. */
function loadWords(report: document.Report, places: readonly document.MarkedPlace[]): string {
  const load = places.find(({ says }) => says === loadedByRecovery);
  return load === undefined ? "" : ` (loaded by recovery at ${whereText(report, load.place)})`;
}

function rowLines(report: document.Report, { rows, inLibraries }: Sorted, width: number): string[] {
  const byPlace = new Map<string, Map<string, number>>();
  for (const { places, rule: id, count } of rows) {
    const rule = `${id}${loadWords(report, places)}`;
    const where = printable(whereText(report, places[0]!.place));
    const rules = byPlace.get(where) ?? new Map<string, number>();
    rules.set(rule, (rules.get(rule) ?? 0) + count);
    byPlace.set(where, rules);
  }
  const shown = [...byPlace].slice(0, mostRows);
  const column = Math.max(0, ...shown.map(([where]) => where.length));
  const lines = shown.flatMap(([where, rules]) =>
    wrapped(`  ${where.padEnd(column)}  ${[...rules].map(ruleText).join(", ")}`, width, " ".repeat(column + 4)),
  );
  return [
    ...lines,
    ...(byPlace.size > mostRows ? [`  and ${byPlace.size - mostRows} more places`] : []),
    ...(inLibraries.length > 0 ? [`  inside libraries: ${inLibraries.length}${byPlace.size > 0 ? " more" : ""}`] : []),
  ];
}
