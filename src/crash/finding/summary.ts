/** How many findings of each severity, for people and for exit codes. */
import { counted } from "../../base/index.ts";
import { type Finding, type Severity, severities } from "./finding.ts";

export type Counts = Readonly<Record<Severity, number>>;

export function countFindings(findings: readonly Finding[]): Counts {
  const count = (severity: Severity) => findings.filter(({ rule }) => rule.severity === severity).length;
  return { error: count("error"), performance: count("performance"), warning: count("warning") };
}

/** The line that scripts read: `blackout: 2 errors, 3 performance, 1 warning`. */
export const summaryLine = ({ error, performance, warning }: Counts): string =>
  `blackout: ${counted(error, "error")}, ${performance} performance, ${counted(warning, "warning")}`;

/** Whether anything is at least as bad as the bar: errors always are. */
export const reachesBar = (counts: Counts, bar: Severity): boolean =>
  severities.slice(0, severities.indexOf(bar) + 1).some((severity) => counts[severity] > 0);

/** Whether any finding is at least as bad as the bar. */
export const hasFindings = (findings: readonly Finding[], bar: Severity): boolean =>
  reachesBar(countFindings(findings), bar);

const order = (finding: Finding): number => severities.indexOf(finding.rule.severity);
/** Worst first, then as they happened. */
export const inOrder = (findings: readonly Finding[]): Finding[] =>
  [...findings].sort((a, b) => order(a) - order(b) || a.cause.seq - b.cause.seq || a.cause.site - b.cause.site);
