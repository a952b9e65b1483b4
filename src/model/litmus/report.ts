/** Results as text for people and as JSON for programs. */
import { namedRelations, type RelationName } from "../pmem/index.ts";
import { findExecution } from "./execution.ts";
import { eventLabel, explainCycle } from "./explain.ts";
import type { Check, LitmusTest } from "./program.ts";
import { type CheckResult, describeCheck, printProgram, type TestResult } from "./result.ts";
import type { RunOptions } from "./run.ts";
import { printTimeline } from "./timeline.ts";
import { findWitness } from "./witness.ts";

export interface ReportOptions {
  readonly explain: boolean;
  readonly relations: readonly RelationName[];
  readonly run: RunOptions;
}

export function reportTest(result: TestResult, options: ReportOptions): string[] {
  const { test, phases, final, checks, disagreement } = result;
  const lines = [test.source === "" ? test.name : `${test.name}  (${test.source})`];
  phases.forEach((sets, index) => {
    const run = phases.length > 1 ? `run ${index + 1}, ` : "";
    lines.push(...printSet(`${run}crash at any point`, sets.any), ...printSet(`${run}crash at the end`, sets.end));
    lines.push(...printSet(`${run}with eADR`, sets.eadr));
  });
  if (final.length > 0) lines.push(...printSet("final states", final));
  for (const check of checks) lines.push(...reportCheck(test, check, options));
  if (disagreement !== undefined) lines.push(...reportDisagreement(result));
  return lines;
}

const printSet = (title: string, texts: readonly string[]): string[] => [
  `  ${title}: ${texts.length} ${texts.length === 1 ? "state" : "states"}`,
  ...wrap(texts, 110).map((line) => `    ${line}`),
];

function wrap(texts: readonly string[], width: number): string[] {
  const lines: string[] = [];
  for (const text of texts) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + text.length + 3 <= width) lines[lines.length - 1] = `${last} | ${text}`;
    else lines.push(text);
  }
  return lines;
}

function reportCheck(test: LitmusTest, { check, verdict, expected }: CheckResult, options: ReportOptions): string[] {
  const claim = expected === undefined ? "" : expected === verdict ? "  as expected" : `  BUT EXPECTED ${expected}`;
  const why = check.why === "" ? "" : `  (${check.why})`;
  const head = `  ${verdict.padEnd(9)} ${describeCheck(test, check)}${claim}${why}`;
  if (!options.explain) return [head];
  const shown = verdict === "ALLOWED" ? explainAllowed(test, check, options) : explainForbidden(test, check, options);
  return [head, ...shown.map((line) => `      ${line}`)];
}

function explainAllowed(test: LitmusTest, check: Check, options: ReportOptions): string[] {
  const witness = findWitness(test, check, options.run);
  const timeline = witness === undefined ? [] : printTimeline(test, witness);
  return [...timeline, ...printRelations(test, check, options)];
}

function explainForbidden(test: LitmusTest, check: Check, options: ReportOptions): string[] {
  const execution = findExecution(test, check, options.run);
  if (execution === undefined) return ["No execution of this program stores or reads these values."];
  const reason = explainCycle(test, execution, check.at);
  const intro =
    execution.cycle === undefined ? [] : ["Every execution that would give this contains a cycle; the shortest:"];
  return [...intro, ...reason.map((line) => `  ${line}`), ...printRelations(test, check, options)];
}

function printRelations(test: LitmusTest, check: Check, { relations, run }: ReportOptions): string[] {
  const execution = relations.length === 0 ? undefined : findExecution(test, check, run);
  if (execution === undefined) return [];
  const named = namedRelations(execution.graph, execution.cuts, run.model);
  const label = (id: number) => {
    const event = execution.graph.events[id];
    return event === undefined ? "" : eventLabel(event);
  };
  return relations.flatMap((name) => [
    `${name}:`,
    ...named[name].map(([from, to]) => `  ${label(from)} → ${label(to)}`),
  ]);
}

function reportDisagreement({ test, disagreement }: TestResult): string[] {
  if (disagreement === undefined) return [];
  const { engines, what, phase, onlyFirst, onlySecond } = disagreement;
  return [
    `  THE MODELS DISAGREE on ${what}, run ${phase + 1}: a bug in Blackout. The program:`,
    ...printProgram(test).map((line) => `    ${line}`),
    `    only ${engines[0]}: ${onlyFirst.join(" | ") || "nothing"}`,
    `    only ${engines[1]}: ${onlySecond.join(" | ") || "nothing"}`,
  ];
}

/** `{name: {any, end, eadr}}`, the sets of the first run; with `allPhases` those of every run as well. */
export function reportJson(results: readonly TestResult[], allPhases: boolean): string {
  const entries = results.map(({ test, phases, final, checks }) => {
    const asked = checks.filter(({ check }) => check.text !== undefined);
    const herd = asked.map(({ check, verdict }) => ({ condition: check.text, verdict, final }))[0];
    return [test.name, { ...phases[0], ...herd, ...(allPhases && { phases }) }] as const;
  });
  return JSON.stringify(Object.fromEntries(entries), undefined, 1);
}
