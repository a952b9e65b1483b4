/** `blackout check`: cuts the power at a program's failure points and runs its recovery on what a crash leaves. */
import { InputError } from "../base/index.ts";
import type { Granularity, Recovery } from "../crash/index.ts";
import { Injector, type InjectResult, RulesEngine, ruleCatalogue, verdictFails } from "../engines/index.ts";
import { countFindings, type Finding, reachesBar, resolveDrafts, type Severity } from "../finding/index.ts";
import { stderrLine } from "../host/index.ts";
import { reportJson, reportSarif, reportText } from "../report/index.ts";
import { pathFromText } from "../vm/index.ts";
import { describeVerdict, findingOf, type Places, placesOf } from "./check-findings.ts";
import { CheckSession, type SessionOptions, type TracedRun } from "./check-session.ts";
import { exitCode } from "./exit-codes.ts";
import { printText, readIfThere, writeText } from "./files.ts";
import { collect, wholeNumber } from "./options.ts";
import { programCommand } from "./run.ts";
import { type CheckWitness, witnessText } from "./witness.ts";

export interface CheckOptions extends SessionOptions {
  readonly expectExit: number;
  readonly granularity: Granularity;
  readonly allPoints?: boolean;
  readonly memo: boolean;
  readonly rules: boolean;
  readonly maxStates?: number;
  readonly hangLimit?: number;
  readonly format: "text" | "json" | "sarif";
  readonly report?: string;
  readonly witness?: string;
}

const oneOf =
  <Choice extends string>(flag: string, choices: readonly Choice[]) =>
  (text: string): Choice => {
    const found = choices.find((choice) => choice === text);
    if (found === undefined)
      throw new InputError("cli/choice", `${flag} is one of ${choices.join(", ")}, not ${text}.`, { flag, text });
    return found;
  };

// biome-ignore format: columns stay aligned
export const checkCommandLine = () =>
  programCommand("blackout check")
    .description("Runs a program, cuts the power at its failure points, and runs its recovery on what a crash leaves.")
    .option("--recover <command>",     "the recovery or checker to run after a crash (default: the program again)")
    .option("--setup <command>",       "run this first, untraced; its files are there when the program starts")
    .option("--expect-exit <n>",       "the exit code of a recovery that went well", wholeNumber("--expect-exit"), 0)
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--annotations <on|off>",  "answer Valgrind's client requests in the traced run", oneOf("--annotations", ["on", "off"]), "off")
    .option("--granularity <what>",    "failure points before each flush, fence and msync, or before each store too", oneOf("--granularity", ["flush", "store"]), "flush")
    .option("--all-points",            "every dynamic failure point, not one for each place with its calls")
    .option("--hang-limit <n>",        "instructions a recovery may run (default: 20 times the undisturbed recovery)", wholeNumber("--hang-limit"))
    .option("--max-states <n>",        "run at most so many recoveries", wholeNumber("--max-states"))
    .option("--no-memo",               "run recovery on every crash state, also on equal ones")
    .option("--no-rules",              "leave out the rules over the trace")
    .option("--witness <file>",        "write how to see each crash finding again, for blackout replay")
    .option("--format <name>",         "text, json or sarif", oneOf("--format", ["text", "json", "sarif"]), "text")
    .option("--report <file>",         "write the report to a file; otherwise text goes to stderr, json and sarif to stdout");

/** Room for a recovery that has more to do than after a clean stop. */
const hangFactor = 20;
const leastHangLimit = 2_000_000;

export const injectorFor = (recovery: Recovery, run: TracedRun, options: CheckOptions, maxInstructions: number) =>
  new Injector(run.history, recovery, {
    granularity: options.granularity,
    allPoints: options.allPoints ?? false,
    expectExit: options.expectExit,
    maxInstructions,
    memo: options.memo,
    guestPath: pathFromText,
    ...(options.maxStates !== undefined && { maxRuns: options.maxStates }),
  });

/** How long recovery may take, by how long it takes after a clean stop; it must succeed then. */
export function hangLimit(recovery: Recovery, run: TracedRun, options: CheckOptions): number {
  const layout = {
    version: -1,
    files: () => run.finalFiles,
    lines: [],
    acknowledged: [new TextEncoder().encode(run.stdout)],
  };
  const ended = recovery.run(layout, options.hangLimit ?? Number.MAX_SAFE_INTEGER);
  if (verdictFails(ended.verdict, options.expectExit))
    throw new InputError(
      "check/recovery",
      `The recovery ${describeVerdict(ended.verdict)} even after the program stopped undisturbed: give another with --recover, or --expect-exit. ${ended.stderr.trim()}`,
    );
  return options.hangLimit ?? Math.max(leastHangLimit, hangFactor * ended.instructions);
}

function render(
  options: CheckOptions,
  findings: readonly Finding[],
  program: readonly string[],
  run: TracedRun,
): string {
  if (options.format === "json")
    return reportJson(findings, { command: program, events: run.trace.count, suppressed: 0 });
  if (options.format === "sarif")
    return reportSarif(findings, {
      rules: [
        ...new Map([...ruleCatalogue, ...findings.map(({ rule }) => rule)].map((rule) => [rule.id, rule])).values(),
      ],
      version: "0.1.0",
    });
  const readSource = (path: string) => {
    const bytes = readIfThere(path);
    return bytes === undefined ? undefined : new TextDecoder().decode(bytes);
  };
  return reportText(findings, { readSource });
}

function deliver({ report, format }: CheckOptions, text: string): void {
  if (report !== undefined) writeText(report, `${text}\n`);
  else if (format === "text") stderrLine(text);
  else printText(`${text}\n`);
}

export async function checkCommand(args: readonly string[]): Promise<number> {
  const command = checkCommandLine();
  command.parse([...args], { from: "user" });
  const options = command.opts<CheckOptions>();
  const program = command.args;
  const session = new CheckSession(options, program);
  let places: Places | undefined;
  let rules: RulesEngine | undefined;
  const run = session.trace([
    (tables) => {
      places = placesOf(tables, options.root);
      return places.modules;
    },
    (tables) => {
      rules = new RulesEngine(tables);
      return rules;
    },
  ]);
  const { recovery } = session.recovery();
  const limit = hangLimit(recovery, run, options);
  const result = injectorFor(recovery, run, options, limit).run(run.trace);
  const crashes = result.findings.map((crash) => findingOf(crash, session, places!, limit));
  const drafts = options.rules ? (rules?.drafts() ?? []) : [];
  const findings = [...crashes, ...resolveDrafts(drafts, places!.resolver.frames)];
  deliver(options, render(options, findings, program, run));
  if (options.witness !== undefined)
    writeText(options.witness, witnessText(witnessesOf(options, program, result, limit)));
  stderrLine(coverage(result));
  return verdict(findings, result);
}

const witnessesOf = (
  options: CheckOptions,
  program: readonly string[],
  { findings }: InjectResult,
  limit: number,
): readonly CheckWitness[] =>
  findings.map(({ point, lost, ended }) => ({
    program,
    options,
    hangLimit: limit,
    crash: { before: point.seq, lost },
    verdict: ended.verdict.kind,
  }));

function coverage({ points, states, runs, stoppedAt }: InjectResult): string {
  const stopped = stoppedAt === undefined ? "" : `; stopped at --max-states, at event ${stoppedAt}`;
  return `blackout: ${points} failure points, ${states} crash states, ${runs} recoveries run${stopped}`;
}

const bar: Severity = "error";

function verdict(findings: readonly Finding[], { stoppedAt }: InjectResult): number {
  if (reachesBar(countFindings(findings), bar)) return exitCode.findings;
  return stoppedAt === undefined ? exitCode.clean : exitCode.noVerdict;
}
