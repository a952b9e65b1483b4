/**
 * What to do about a finding, in a few lines: the advice, whether it was tried, and the change of the source that was. Always: what the
 * change says is said once.
 */
import type * as document from "../document/index.ts";
import { lossFacts } from "../document/index.ts";
import { insertsText } from "./order-part.ts";
import { whereText } from "./place-text.ts";
import { shortDiff } from "./short-diff.ts";

/** A sentence, or a line of code, which is further in. */
export type BodyLine = string | { readonly code: string };

/** Of a change; all of it is on the page, in JSON and in what `blackout fix` prints. */
const shownLines = 6;

/** Whether the cure was tried, and what came of it. */
function curedText({ kind, verification }: document.Cure, how: "kept" | "torn" | "neither"): string {
  if (verification?.result === "cured") return " (tested: the failure is gone)";
  if (verification?.result === "not-cured") return " (tested: not enough)";
  if (how === "torn") return " (cause confirmed: no failure when all of it is kept, or all of it lost)";
  return kind === "keep" && how === "kept" ? " (cause confirmed: no failure when this is kept)" : "";
}

/** Whether keeping what was lost is what has to be done. */
function howCured({ torn = false, places }: document.Finding): "kept" | "torn" | "neither" {
  if (torn) return "torn";
  return lossFacts.has(places[0]?.fact) ? "kept" : "neither";
}

/** The advice, and whether that was tested: in one line where that is one added line and there is room. */
function changeLines(advice: string, cure: document.Cure, width: number): readonly BodyLine[] {
  const changes = shortDiff(cure.diff!);
  const tested = cure.verification?.result === "not-tried" ? untested : "tested: the failure is gone";
  const fix = `fix: ${advice.replace(/\.$/, "")} (${tested}):`;
  const short = `${fix} ${changes[0]}`;
  if (changes.length === 1 && short.length + 2 <= width) return [short];
  const more = changes.length - shownLines;
  const rest = more > 0 ? [`and ${more} lines more: blackout fix prints them all`] : [];
  return [fix, ...[...changes.slice(0, shownLines), ...rest].map((code) => ({ code }))];
}

/** A call of the program's own, which no insertion into its running code can stand for. */
const untested = "not tested: blackout fix --rebuild does";

/** What flushes and fences do not cure: whoever waits for a try of them waits for nothing. */
const beyondInsertions: ReadonlySet<document.Mistake | undefined> = new Set<document.Mistake>([
  ...(["unfinished", "unrecoverable", "unadded"] as const),
]);

const boundLine = ({ verification }: document.Cure): readonly string[] =>
  verification?.bound === undefined
    ? []
    : ["its change of the source is not tried within this check's bound: --fix, or blackout fix, does"];

/** What to do, and whether a flush or fence is missing for it: which one, or why not. */
export function fixLines(report: document.Report, finding: document.Finding, width: number): readonly BodyLine[] {
  const { advice, cure, strict, robustness } = finding;
  const lines = cure?.diff === undefined ? adviceLines(report, finding) : changeLines(advice, cure, width);
  return [
    ...lines,
    ...(strict && robustness === undefined ? ["not an ordering bug: it fails under strict persistency too"] : []),
    ...(cure === undefined || beyondInsertions.has(finding.mistake) ? [] : boundLine(cure)),
  ];
}

function adviceLines(report: document.Report, finding: document.Finding): readonly string[] {
  const { advice, robustness, strict, cure } = finding;
  const verified = cure === undefined ? "" : curedText(cure, howCured(finding));
  const fix = `fix: ${verified === "" ? advice : advice.replace(/\.$/, "")}`;
  const inserts = robustness && insertsText(cure?.suggestions ?? [], robustness.later.place, report);
  if (inserts === undefined) return [`${fix}${verified}`];
  if (strict)
    return [
      `${fix}${verified}`,
      `ordering: ${inserts}; not enough: at other crash states it fails under strict persistency too`,
    ];
  // "persist l->rec[0] before log.c:22: fence after log.c:21": what it comes before is said once.
  const end = `before ${whereText(report, robustness!.later.place)}`;
  if (!advice.endsWith(end) || !inserts.endsWith(`, ${end}`)) return [`${fix}${verified}`, `ordering: ${inserts}`];
  return [`${fix}: ${inserts.slice(0, -end.length - 2)}${verified}`];
}
