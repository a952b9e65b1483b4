/** What `blackout trace` and `blackout check` find in a guest, through the commands themselves; and what guests expect. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkCommand } from "../../src/app/commands/check.ts";
import { exploreCommand } from "../../src/app/commands/explore.ts";
import { representCommand } from "../../src/app/commands/represent.ts";
import { robustCommand } from "../../src/app/commands/robust.ts";
import { traceCommand } from "../../src/app/commands/trace.ts";
import type * as document from "../../src/report/document/index.ts";
import { framesOf } from "../../src/report/document/index.ts";

export interface ShownFrame {
  readonly function?: string;
  readonly file?: string;
  readonly line?: number;
}
export interface ShownPlace {
  readonly frames: readonly ShownFrame[];
}
export interface ShownFinding {
  readonly rule: string;
  readonly severity: string;
  readonly message: string;
  readonly count: number;
  readonly cause: ShownPlace;
  readonly evidence: readonly ShownPlace[];
}

/** The findings of a JSON report, with the calls of their places. */
export const shownFindings = (json: string): readonly ShownFinding[] => findingsIn(JSON.parse(json) as document.Report);

export function findingsIn(report: document.Report): readonly ShownFinding[] {
  return report.findings.map(({ rule, severity, message, count, places }) => {
    const [cause, ...evidence] = places.map(({ place }) => ({ frames: framesOf(report, place) }));
    return { rule, severity, message, count, cause: cause!, evidence };
  });
}

/** What a check finds by its own crash states is the same however busy the computer is; how far exploration goes on is not. */
const commands = {
  trace: traceCommand,
  check: (args: readonly string[]) => checkCommand(["--no-explore", ...args]),
  "check and explore": checkCommand,
  explore: exploreCommand,
  represent: representCommand,
  robust: robustCommand,
} as const;

/** Where nothing but what was found is looked at, nobody waits for fixes. */
const untried: Readonly<Record<keyof typeof commands, readonly string[]>> = {
  ...{ trace: [], explore: [], represent: [], robust: [] },
  ...{ check: ["--no-fix"], "check and explore": ["--no-fix"] },
};

/** Runs a command on a guest: `words` are its options, `--`, and the program's own words. */
export const findingsOf = async (
  command: keyof typeof commands,
  words: readonly string[],
): Promise<readonly ShownFinding[]> => findingsIn(await reportOf(command, [...untried[command], ...words]));

/** The whole report of such a command. */
export async function reportOf(command: keyof typeof commands, words: readonly string[]): Promise<document.Report> {
  const folder = mkdtempSync(join(tmpdir(), "blackout-findings-"));
  try {
    const report = join(folder, "report.json");
    await commands[command](["--format", "json", "--report", report, ...words]);
    return JSON.parse(readFileSync(report, "utf8")) as document.Report;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** The innermost frame within a source file, and those that called it. */
export const framesIn = (source: string, { frames }: ShownPlace): readonly ShownFrame[] =>
  frames.slice(frames.findIndex(({ file }) => file === source)).filter(({ file }) => file === source);

export const functionsOf = ({ frames }: ShownPlace): readonly string[] => frames.map((frame) => frame.function ?? "");

/** `// expect: rule (severity) in function < caller`, wherever a guest's source says so. */
export interface Expectation {
  readonly line: number;
  readonly rule: string;
  readonly severity: string;
  readonly functions: readonly string[];
}

const pattern = /\/\/ expect: ([\w-]+) \((\w+)\) in (\w+(?: < \w+)*)/g;

export const expectationsIn = (source: string): readonly Expectation[] =>
  readFileSync(source, "utf8")
    .split("\n")
    .flatMap((text, index) =>
      [...text.matchAll(pattern)].map(([, rule, severity, functions]) => ({
        line: index + 1,
        rule: rule!,
        severity: severity!,
        functions: functions!.split(" < "),
      })),
    );

/** A finding as far as a guest can expect it, with as many calls as it names. */
export function expectationMetBy(finding: ShownFinding, source: string, expected: readonly Expectation[]): Expectation {
  const { rule, severity, cause } = finding;
  const frames = framesIn(source, cause);
  const line = frames[0]?.line ?? 0;
  const named = expected.find((each) => each.rule === rule && each.line === line)?.functions.length ?? 1;
  return { line, rule, severity, functions: frames.slice(0, named).map((frame) => frame.function ?? "") };
}
