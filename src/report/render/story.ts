/**
 * A finding as a reader wants it: the headline, the code, where the power was cut, what recovery said, what to do, how to see
 * it again. Always: at most fifteen lines, unless words are long.
 */
import { daysOfWitnesses, printable } from "../../base/index.ts";
import type { Severity } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { bareName, baseName, eventWord, factWords, framesOf, lossFacts, shownFrame } from "../document/index.ts";
import { type BodyLine, fixLines } from "./fix-lines.ts";
import { type CodeMark, type CodeStyle, markedCode } from "./marked-code.ts";
import { openStory } from "./open-story.ts";
import { fullWhereText, hasLine, isAtEnd, isUsers, whereNear, whereText } from "./place-text.ts";
import { verdictsText, verdictText } from "./verdict-text.ts";
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
  { rule, severity, headline, count, cut, robustness, alsoRules = [] }: document.Finding,
  { width, paint }: StoryOptions,
) {
  const times = cut === undefined && robustness === undefined && count > 1 ? ` (${count} times)` : "";
  const rules = [rule, ...new Set(alsoRules.map((also) => also.rule))];
  const head = `${severity}[${printable(rules.join(", "))}]:`;
  const strong = (text: string) => paint(text, "strong");
  let unpainted = head.length;
  return wrapped(`${head} ${printable(headline)}${times}`, width, indent).map((line, at) => {
    const start = at === 0 || unpainted <= 0 ? 0 : indent.length;
    const end = start + Math.min(Math.max(unpainted, 0), line.length - start);
    // Where the line breaks there was a blank.
    unpainted -= end - start + 1;
    return end === start ? strong(line) : `${paint(line.slice(0, end), severity)}${strong(line.slice(end))}`;
  });
}

/** Roles that code is shown for, and how many places of each. */
const shownOf: Readonly<Record<string, number>> = { cause: 1, survives: 1, related: 2, read: 1 };
const mostLines = 2;
/** What would have mended the state is shown; what was lost with the cause is named there. */
const isShown = ({ fact }: document.MarkedPlace): boolean => fact === "until";

/** "line 31" where it is in the file of the cause, else "list.c:31". */
function linesOf(report: document.Report, cause: number, places: readonly document.MarkedPlace[]): string {
  const own = whereText(report, cause);
  const file = `${own.replace(/:\d+$/, "")}:`;
  const others = [...new Set(places.map(({ place }) => whereText(report, place)))].filter((where) => where !== own);
  return others
    .filter((where) => /:\d+$/.test(where))
    .map((where) => (where.startsWith(file) ? `line ${where.slice(file.length)}` : where))
    .join(", ");
}

/** Lines that were lost too, or are not durable either, are named, not shown. */
function lostToo(report: document.Report, places: readonly document.MarkedPlace[]): string {
  const { place: cause, says: said, fact } = places.find(({ role }) => role === "cause")!;
  const lost = linesOf(
    report,
    cause,
    places.filter(({ role }) => role === "lost"),
  );
  const beside = linesOf(report, cause, places.filter(isBeside));
  return [
    said,
    ...(lost === "" ? [] : [fact !== "not-durable" ? `with it ${lost}` : `lost: ${lost}`]),
    ...(beside === "" ? [] : [`${factWords["not-durable-either"]}: ${beside}`]),
  ].join("; ");
}

const isBeside = ({ fact }: document.MarkedPlace): boolean => fact === "not-durable-either";

/** Why each place matters, in the order of the report. */
function marksOf(report: document.Report, { places, creating, mistake }: document.Finding): readonly CodeMark[] {
  // Where creation was under way says all: no line of it is to blame.
  if (creating !== undefined) return [];
  const seen = new Map<string, number>();
  const candidates = places.filter((place) => !isBeside(place));
  const shown = candidates.filter((candidate) => {
    const { role } = candidate;
    const before = seen.get(role) ?? 0;
    seen.set(role, before + 1);
    return before < (shownOf[role] ?? 0) || isShown(candidate);
  });
  // What recovery did is in the headline: its code is shown where there is room.
  const lines = new Set(shown.map(({ place }) => whereText(report, place)));
  const told =
    mistake === "unadded"
      ? // What else the library kept or lost of its own says nothing.
        shown.filter(({ role }) => role === "cause")
      : lines.size <= mostLines
        ? shown
        : shown.filter(({ role }) => role !== "read");
  return told.map(({ role, place, says, fact }) => ({
    place,
    says: role === "cause" && lossFacts.has(fact) ? lostToo(report, places) : says,
  }));
}

/** "kv.c:81, in persist (kv.c:41)": many a flush lies in a function of its own. */
function cutWhere(report: document.Report, place: number, cause: number): string {
  const [where, near] = [whereText(report, place), whereNear(report, place, cause)];
  if (where === near) return fullWhereText(report, place);
  const name = shownFrame(report, place)?.function;
  return `${near}, in ${name === undefined ? where : `${bareName(name)} (${where})`}`;
}

/** "power cut at pay.c:31, before the sfence, then again during recovery at pay.c:52, before the clwb". */
function cutLine(report: document.Report, { cut, previous = [], places }: document.Finding): string {
  const [first, ...further] = [...previous, cut!];
  const near = places[0]?.place;
  const cause = (at: number) => (at === further.length ? near : undefined);
  const program = `power cut ${cutPlace(report, first!, "the program", cause(0))}${lostWhere(report, first!)}`;
  const again = further.map(
    (each, at) =>
      `, then again during recovery ${cutPlace(report, each, "its", cause(at + 1))}${lostWhere(report, each)}`,
  );
  return `${program}${again.join("")}`;
}

function cutPlace(report: document.Report, { before, place }: document.Cut, whose: string, near = place): string {
  if (before === "end") return whose === "its" ? "after its last event" : `after ${whose}'s last event`;
  const what = before === "call" ? "after" : hasLine(report, place) || isAtEnd(report, place) ? "at" : "in";
  const event = before === "call" || before === "output" ? "" : `, before the ${eventWord(before)}`;
  return `${what} ${cutWhere(report, place, near)}${event}`;
}

/** What an earlier power cut took; what the last one takes is the finding's cause. */
function lostWhere(report: document.Report, { lost = [] }: document.PreviousCut): string {
  const wheres = [...new Set(lost.map(({ place }) => whereText(report, place)))];
  if (wheres.length === 0) return "";
  const more = wheres.length > 1 ? ` and ${wheres.length - 1} more` : "";
  return ` (without what ${wheres[0]}${more} stored)`;
}

const lastLine = (text: string | undefined): string => text?.trim().split("\n").at(-1)?.trim() ?? "";

/** "recovery exits with 1 at log.c:15, saying "record 0 damaged"". */
function recoveryLine(report: document.Report, recovery: document.Recovery): string {
  const { verdict, end, stdout, stderr, otherEnds = [] } = recovery;
  const comma = verdict.kind === "signal" && verdict.address !== undefined ? "," : "";
  const where = end === undefined || !isUsers(report, end.place) ? "" : `${comma} at ${whereText(report, end.place)}`;
  const said = verdict.kind === "output" || verdict.kind === "leak" ? "" : lastLine(stderr) || lastLine(stdout);
  const words = said === "" ? "" : `, saying ${quoted(said, 120)}`;
  const others = otherEnds.length === 0 ? "" : `; elsewhere it ${verdictsText(otherEnds)}`;
  return `recovery ${verdictText(verdict)}${where}${words}${others}`;
}

/** What is replayed by its name alone is kept for a while. */
const keptWords = (replay: readonly string[]): string =>
  /^[0-9a-f]{16}$/.test(replay.at(-1) ?? "") && replay.length === 3 ? ` within ${daysOfWitnesses} days` : "";

function countLine({ count, witness }: document.Finding): string {
  const shows = count === 1 ? "1 crash state shows it" : `${count} crash states show it`;
  const again = witness?.replay === undefined ? "" : `; again${keptWords(witness.replay)}: ${witness.replay.join(" ")}`;
  return `${shows}${again}`;
}

/** Other places of the same mistake. */
function alsoLine(report: document.Report, { places }: document.Finding): string[] {
  const wheres = (wanted: (role: string) => boolean) =>
    new Set(places.filter(({ role }) => wanted(role)).map(({ place }) => whereText(report, place)));
  const told = wheres((role) => role !== "also" && role !== "cut" && role !== "read" && role !== "end");
  const also = [...wheres((role) => role === "also")].filter((where) => !told.has(where));
  return also.length === 0 ? [] : [`the same mistake shows at ${also.join(", ")}`];
}

const shownCallers = 3;

/** Which of the user's calls led to what a rule found. */
function callersLine(report: document.Report, { places: [cause] }: document.Finding): string[] {
  const own = cause && report.places[cause.place]?.own;
  if (own === undefined) return [];
  const callers = framesOf(report, cause!.place)
    .slice(own + 1)
    .filter(({ library, file }) => library !== true && file !== undefined)
    .slice(0, shownCallers)
    .map(
      ({ function: name, file, line }) => `${name === undefined ? "?" : bareName(name)} at ${baseName(file!)}:${line}`,
    );
  return callers.length === 0 ? [] : [`called from ${callers.join(", from ")}`];
}

/** What recovery can read, what to do about it, and how sure that is. */
function orderBody({ message, advice, cure, count, places }: document.Finding): string[] {
  const verdicts = { cured: "tested: the two stay in order", "not-cured": "fix tested: not enough" } as const;
  const result = cure?.verification?.result ?? "not-tried";
  const verdict = result === "not-tried" ? "not tested" : verdicts[result];
  const more = places.filter(({ role }) => role === "also").length;
  return [
    message,
    `fix: ${advice}${cure?.suggestions === undefined ? "" : ` (${verdict})`}`,
    ...(more === 0 ? [] : [`${more} more ${more === 1 ? "pair" : "pairs"} of the same field and function`]),
    count === 1 ? "1 way of recovery shows it" : `${count} ways of recovery show it`,
  ];
}

/** What turned a good state into a bad one is one store, which may be a helper's: who called it tells more. */
const isOneStore = ({ places }: document.Finding): boolean =>
  places[0]?.fact === "turns" && !places.some(({ fact }) => fact === "until" || fact === "wrong-call");

/** A rule's error stays one: it holds for every recovery, and the run was one of many. */
const harmlessLine = ({ noCrashFails }: document.Finding): string[] =>
  noCrashFails ? ["no crash state of this run breaks this recovery: every one was judged"] : [];

function bodyOf(report: document.Report, finding: document.Finding, width: number): BodyLine[] {
  const { cut, recovery, cure } = finding;
  if (finding.robustness !== undefined && cut === undefined && cure !== undefined) return orderBody(finding);
  if (cut === undefined || recovery === undefined)
    return [...callersLine(report, finding), ...harmlessLine(finding), ...fixLines(report, finding, width)];
  return [
    ...(isOneStore(finding) ? callersLine(report, finding) : []),
    cutLine(report, finding),
    recoveryLine(report, recovery),
    ...fixLines(report, finding, width),
    ...alsoLine(report, finding),
    ...openStory(report, finding),
    countLine(finding),
  ];
}

export function findingStory(report: document.Report, finding: document.Finding, options: StoryOptions): string[] {
  const { width, paint, readSource } = options;
  const style: CodeStyle = { readSource, width, highlight: (text) => paint(text, finding.severity) };
  const { lines, homeless } = markedCode(report, marksOf(report, finding), style);
  const unshown = homeless.map(({ place, says }) => `${fullWhereText(report, place)}: ${says}`);
  const body = [...unshown, ...bodyOf(report, finding, width)];
  return [
    ...headlineLines(finding, options),
    ...lines,
    ...body.flatMap((line) =>
      typeof line === "string"
        ? wrapped(`  ${printable(line)}`, width, indent)
        : wrapped(`${indent}${line.code}`, width, indent.repeat(3)),
    ),
  ];
}
