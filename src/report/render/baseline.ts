/**
 * A baseline: the findings of an earlier run, which a later one counts without telling them again. Always:
 * - Each entry stands for one finding: the one of its key (finding-keys.ts), or of its fingerprint, in reports of versions that
 *   had no keys. A fingerprint has line numbers in it, and another mistake may stand there now.
 * - A finding counts as gone only if its rule was looked for, and the run came to its end.
 */
import * as v from "valibot";
import { InputError, printable } from "../../base/index.ts";
import type * as document from "../document/index.ts";
import { isAllExplored } from "../document/index.ts";
import { readReport } from "./validate.ts";

const entryShape = v.object({
  rule: v.string(),
  headline: v.string(),
  fingerprint: v.string(),
  key: v.optional(v.string()),
});
const baselineShape = v.object({
  schema: v.literal("blackout-baseline"),
  version: v.literal(1),
  findings: v.array(entryShape),
});
export type BaselineEntry = Readonly<v.InferOutput<typeof entryShape>>;
export type KnownFindings = readonly BaselineEntry[];

const entryOf = ({ rule, headline, fingerprint, key }: document.Finding): BaselineEntry => ({
  rule,
  headline,
  fingerprint,
  ...(key !== undefined && { key }),
});

/** A line for each finding, so that a baseline in version control shows what changed. */
export function baselineText({ findings }: document.Report): string {
  const entries = findings.map((finding) => `    ${JSON.stringify(entryOf(finding))}`);
  const lines = entries.length === 0 ? "[]" : `[\n${entries.join(",\n")}\n  ]`;
  return `{\n  "schema": "blackout-baseline",\n  "version": 1,\n  "findings": ${lines}\n}\n`;
}

/** Of `--save-baseline`, or a whole report as JSON. */
export function readBaseline(file: string, text: string): KnownFindings {
  const found = v.safeParse(baselineShape, jsonOf(text));
  if (found.success) return found.output.findings;
  try {
    return readReport(file, text).findings.map(entryOf);
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    throw new InputError(
      "baseline/shape",
      `${file} is no baseline: give what --save-baseline wrote, or a report of --format json.`,
      { file },
    );
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const severities = ["error", "performance", "warning"] as const;
const fields = { error: "errors", performance: "performance", warning: "warnings" } as const;

const cameToItsEnd = ({ coverage }: document.Report): boolean =>
  coverage?.stop === undefined && (coverage?.explored === undefined || isAllExplored(coverage.explored));

const isSame = (entry: BaselineEntry, { key, fingerprint }: document.Finding): boolean =>
  entry.key === undefined || key === undefined ? entry.fingerprint === fingerprint : entry.key === key;

/** The report with what the baseline has marked as known, and the summary of what is new. */
export function againstBaseline(report: document.Report, baseline: KnownFindings, wasCut: boolean): document.Report {
  const left = new Set(baseline);
  const isKnown = (finding: document.Finding): boolean => {
    const entry = [...left].find((each) => isSame(each, finding));
    return entry !== undefined && left.delete(entry);
  };
  const known = new Set(report.findings.filter(isKnown));
  const fresh = report.findings.filter((finding) => !known.has(finding));
  const counts = severities.map((each) => [fields[each], fresh.filter(({ severity }) => severity === each).length]);
  const lookedFor = new Set(report.rules.map(({ id }) => id));
  const gone = [...left].filter(({ rule }) => lookedFor.has(rule));
  return {
    ...report,
    summary: { ...report.summary, ...Object.fromEntries(counts) },
    baseline: {
      known: known.size,
      gone: gone.map(({ rule, headline, fingerprint }) => ({ rule, headline, fingerprint })),
      complete: cameToItsEnd(report) && !wasCut,
    },
    findings: report.findings.map((finding) => (known.has(finding) ? { ...finding, known: true } : finding)),
  };
}

/** What is to be said beside the summary. */
export function baselineLines({ baseline }: document.Report): string[] {
  if (baseline === undefined) return [];
  const { gone, complete } = baseline;
  const says = complete ? "gone" : "not found in a run that ended early";
  return gone.map(({ rule, headline }) => `blackout: ${says}: ${printable(`${headline} [${rule}]`)}`);
}
