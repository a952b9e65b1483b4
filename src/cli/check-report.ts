/** What `blackout check` reports: findings in the format asked for, and how much was covered. */
import { type CrashFinding, type FailureTally, injectRules, type Plan } from "../engines/index.ts";
import type { Finding } from "../finding/index.ts";
import { stderrLine } from "../host/index.ts";
import type { Coverage } from "../report/index.ts";
import type { CheckOptions } from "./check-options.ts";
import type { Stop } from "./check-work.ts";
import { printText, readIfThere, writeText } from "./files.ts";
import { renderReport } from "./report-formats.ts";
import { type CheckWitness, witnessText } from "./witness.ts";

/** The failure points whose crash states were all judged, and the states, of how many. */
export function coverageOf({ coverage }: FailureTally, plan: Plan, stop: Stop | undefined): Coverage {
  let points = 0;
  for (let index = 0; index < plan.points; index++)
    if (coverage.has({ from: plan.first(index), to: plan.first(index + 1) })) points++;
  return { points, pointsInAll: plan.points, states: coverage.states, statesInAll: plan.states, stop };
}

const stopWords: Readonly<Record<Stop, string>> = {
  interrupt: "interrupted",
  time: "stopped by --time",
  "max-states": "stopped by --max-states",
};

export function coverageLine({ points, pointsInAll, states, statesInAll, stop }: Coverage): string {
  if (stop === undefined) return `blackout: ${points} failure points, ${states} crash states, all judged`;
  const percent = ((100 * states) / statesInAll).toFixed(1);
  return `blackout: ${stopWords[stop as Stop]}: ${points} of ${pointsInAll} failure points, ${states} of ${statesInAll} crash states judged (${percent}%)`;
}

export interface CheckReport {
  readonly options: CheckOptions;
  readonly program: readonly string[];
  readonly findings: readonly Finding[];
  readonly events: number;
  readonly coverage: Coverage;
}

const readSource = (path: string): string | undefined => {
  const bytes = readIfThere(path);
  return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
};

function render({ options, findings, program, events, coverage }: CheckReport): string {
  const text = renderReport(options.format, {
    findings,
    facts: { command: program, events, suppressed: 0, coverage },
    text: { readSource },
    failOn: "error",
    moreRules: Object.values(injectRules),
  });
  return options.format === "text" ? `${text}\n${coverageLine(coverage)}` : text;
}

export function deliver(report: CheckReport): void {
  const { options, coverage } = report;
  const text = render(report);
  if (options.report !== undefined) writeText(options.report, `${text}\n`);
  else if (options.format === "text") stderrLine(text);
  else printText(`${text}\n`);
  if (options.report !== undefined || options.format !== "text") stderrLine(coverageLine(coverage));
}

export function writeWitnesses(
  options: CheckOptions,
  program: readonly string[],
  findings: readonly CrashFinding[],
  hangLimit: number,
): void {
  if (options.witness === undefined) return;
  const witnesses = findings.map(
    ({ point, lost, ended, expected }): CheckWitness => ({
      program,
      options,
      hangLimit,
      crash: { before: point.seq, lost },
      verdict: ended.verdict.kind,
      ...(expected !== undefined && { stdout: ended.stdout }),
    }),
  );
  writeText(options.witness, witnessText(witnesses));
  if (findings.length > 0) stderrLine(`blackout: to see the crashes again: blackout replay ${options.witness}`);
}
