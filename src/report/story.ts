/**
 * A finding as a reader wants it: the headline, the code, where the power was cut, what recovery said, what to do, how to see
 * it again. Always: at most fifteen lines, unless words are long.
 */
import { printable } from "../base/index.ts";
import type * as document from "../document/index.ts";
import { baseName, framesOf } from "../document/index.ts";
import type { Severity } from "../finding/index.ts";
import { eventWord } from "./crash-words.ts";
import { type CodeMark, type CodeStyle, markedCode } from "./marked-code.ts";
import { fullWhereText, isUsers, whereText } from "./place-text.ts";
import { verdictText } from "./verdict-text.ts";
import { wrapped } from "./wrap.ts";
import { quoted } from "./write-text.ts";

export type Paint = (text: string, how: Severity | "strong" | "faint") => string;

export interface StoryOptions {
  /** A source file's text, if it can be read. */
  readSource(path: string): string | undefined;
  readonly width: number;
  readonly paint: Paint;
}

const indent = "    ";

function headlineLines(
  { rule, severity, headline, count, cut, alsoRules = [] }: document.Finding,
  { width, paint }: StoryOptions,
) {
  const times = cut === undefined && count > 1 ? ` (${count} times)` : "";
  const rules = [rule, ...new Set(alsoRules.map((also) => also.rule))];
  const head = `${severity}[${printable(rules.join(", "))}]:`;
  const [first = "", ...more] = wrapped(`${head} ${printable(headline)}${times}`, width, indent);
  const strong = (text: string) => paint(text, "strong");
  return [`${paint(head, severity)}${strong(first.slice(head.length))}`, ...more.map(strong)];
}

/** Roles that code is shown for, and how many places of each. */
const shownOf: Readonly<Record<string, number>> = { cause: 1, survives: 1, related: 2 };

/** Lines of the same function that were lost too are named, not shown. */
function lostToo(report: document.Report, places: readonly document.MarkedPlace[], said: string): string {
  const [cause, ...others] = places.filter(({ role }) => role === "cause" || role === "lost");
  const lines = others.map(({ place }) => whereText(report, place).replace(/^.*:/, "line "));
  const own = cause && whereText(report, cause.place).replace(/^.*:/, "line ");
  const more = [...new Set(lines)].filter((line) => line !== own && line.startsWith("line "));
  return more.length === 0 ? said : `${said}; with it ${more.join(", ")}`;
}

/** Why each place matters, in the order of the report. */
function marksOf(report: document.Report, { places, cut, creating }: document.Finding): readonly CodeMark[] {
  // Where creation was under way says all: no line of it is to blame.
  if (creating !== undefined) return [];
  const seen = new Map<string, number>();
  return places.flatMap(({ role, place, says }) => {
    const before = seen.get(role) ?? 0;
    seen.set(role, before + 1);
    if (before >= (shownOf[role] ?? 0)) return [];
    return [{ place, says: role === "cause" && cut !== undefined ? lostToo(report, places, says) : says }];
  });
}

/** " (called at kv.c:81)": many a flush lies in a function of its own. */
function calledText(report: document.Report, place: number): string {
  const own = report.places[place]?.own;
  const [callee, ...callers] = framesOf(report, place);
  const caller = callers.find(
    ({ library, file, line }) => library !== true && file !== undefined && line !== undefined,
  );
  if (own !== 0 || callee === undefined || caller === undefined || callee.function === caller.function) return "";
  return ` (called at ${baseName(caller.file!)}:${caller.line})`;
}

function cutLine(report: document.Report, { before, place }: document.Cut): string {
  if (before === "end") return "power cut after the program's last event";
  const what = before === "call" ? "after" : "at";
  const event = before === "call" || before === "output" ? "" : `, before the ${eventWord(before)}`;
  return `power cut ${what} ${fullWhereText(report, place)}${calledText(report, place)}${event}`;
}

const lastLine = (text: string | undefined): string => text?.trim().split("\n").at(-1)?.trim() ?? "";

/** "recovery exits with 1 at log.c:15, saying "record 0 damaged"". */
function recoveryLine(report: document.Report, recovery: document.Recovery): string {
  const { verdict, end, stdout, stderr, otherEnds = [] } = recovery;
  const where = end === undefined || !isUsers(report, end.place) ? "" : ` at ${whereText(report, end.place)}`;
  const said = verdict.kind === "output" ? "" : lastLine(stderr) || lastLine(stdout);
  const words = said === "" ? "" : `, saying ${quoted(said, 120)}`;
  const others = otherEnds.length === 0 ? "" : `; elsewhere it ${otherEnds.map(verdictText).join(", or ")}`;
  return `recovery ${verdictText(verdict)}${where}${words}${others}`;
}

/** Whether the cure was tried, and what came of it. */
function curedText({ kind, verification }: document.Cure, torn: boolean): string {
  if (verification?.result === "cured") return " (verified: with this fix no crash state fails)";
  if (verification?.result === "not-cured") return " (tried: not enough)";
  if (torn) return " (verified: with all of it kept, or all of it lost, recovery succeeds)";
  return kind === "keep" ? " (verified: kept, recovery succeeds)" : "";
}

function countLine({ count, witness }: document.Finding): string {
  const shows = count === 1 ? "1 crash state shows it" : `${count} crash states show it`;
  const again = witness?.replay === undefined ? "" : `; again: ${witness.replay.join(" ")}`;
  return `${shows}${again}`;
}

/** Other places of the same mistake. */
function alsoLine(report: document.Report, { places }: document.Finding): string[] {
  const also = places.filter(({ role }) => role === "also").map(({ place }) => whereText(report, place));
  return also.length === 0 ? [] : [`the same mistake shows at ${[...new Set(also)].join(", ")}`];
}

const shownCallers = 4;

/** Which of the user's calls led to what a rule found. */
function callersLine(report: document.Report, { places: [cause] }: document.Finding): string[] {
  const own = cause && report.places[cause.place]?.own;
  if (own === undefined) return [];
  const callers = framesOf(report, cause!.place)
    .slice(own + 1)
    .filter(({ library, file }) => library !== true && file !== undefined)
    .slice(0, shownCallers)
    .map(({ function: name, file, line }) => `${name ?? "?"} at ${baseName(file!)}:${line}`);
  return callers.length === 0 ? [] : [`called from ${callers.join(", from ")}`];
}

function bodyOf(report: document.Report, finding: document.Finding): string[] {
  const { cut, recovery, cure, advice, torn = false } = finding;
  const fix = `fix: ${advice}${cure === undefined ? "" : curedText(cure, torn)}`;
  if (cut === undefined || recovery === undefined) return [...callersLine(report, finding), fix];
  return [cutLine(report, cut), recoveryLine(report, recovery), fix, ...alsoLine(report, finding), countLine(finding)];
}

export function findingStory(report: document.Report, finding: document.Finding, options: StoryOptions): string[] {
  const { width, paint, readSource } = options;
  const style: CodeStyle = { readSource, width, highlight: (text) => paint(text, finding.severity) };
  const { lines, homeless } = markedCode(report, marksOf(report, finding), style);
  const unshown = homeless.map(({ place, says }) => `${fullWhereText(report, place)}: ${says}`);
  const body = [...unshown, ...bodyOf(report, finding)];
  return [
    ...headlineLines(finding, options),
    ...lines,
    ...body.flatMap((text) => wrapped(`  ${printable(text)}`, width, indent)),
  ];
}
