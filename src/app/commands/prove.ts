/**
 * `blackout prove FILE...`: what no crash leaves, by solver, with a proof that can be checked. Exit codes: 0 everything as written,
 * 1 something is not, 2 bad input, 3 the time was over.
 */
import { type Command, Option } from "commander";
import { InputError, printable } from "../../base/index.ts";
import {
  type AnyCrash,
  faultOf,
  type ProvedOutcome,
  type ProvedTest,
  proveTest,
  readProof,
} from "../../engines/index.ts";
import { readText, startAlarm, stdoutLine, writeWhole } from "../../host/index.ts";
import { type LitmusTest, optionsFor, parseTests } from "../../model/litmus/index.ts";
import type { FailedCas, Platform } from "../../model/pmem/index.ts";
import { startZ3 } from "../../smt/index.ts";
import { exitCode } from "./exit-codes.ts";
import { atLeastOne, collect, duration, ownCommand, withExamples } from "./options.ts";
import { encodingsOf, type ProveCodeFlags, proveCodeCommand } from "./prove-code.ts";

interface ProveFlags {
  readonly platform: Platform;
  readonly failedCas: FailedCas;
  readonly encoding: AnyCrash | "both";
  readonly test?: readonly string[];
  readonly json?: boolean;
  readonly proof?: string;
  readonly check?: boolean;
  readonly time?: number;
  readonly maxHostMemory?: number;
}

const choice = (flags: string, what: string, choices: readonly string[]) =>
  new Option(flags, what).choices([...choices]).default(choices[0]);

export const proveCommandLine = (): Command =>
  withExamples(
    ownCommand("blackout prove")
      .description(
        "Proves what no schedule and no crash leaves: outcomes of litmus programs, or that a function of a program which runs after a crash of others never fails. Exits with 1 when it is not so.",
      )
      .argument(
        "<files...>",
        "litmus tests, as JSON or in herd's X86_64 text; or, after --, a program and its arguments",
      )
      .option(
        "--thread <function>",
        "a function of the program that runs as a thread, with numbers as arguments: f(1,2) (repeatable)",
        collect,
        [],
      )
      .option(
        "--recover <function>",
        "the function that runs after a crash: it fails if it returns what is not 0, or aborts",
      )
      .option("--init <function>", "a function that runs first, before the threads begin")
      .option(
        "--bound <n>",
        "how often loops are gone through (default: 1, doubled up to 8 until none would go on)",
        atLeastOne("--bound"),
      )
      .addOption(
        choice(
          "--by <how>",
          "go through all schedules one by one, ask the solver, or first the one and then the other (--bound, --encoding and --proof are the solver's)",
          ["both", "schedules", "solver"],
        ),
      )
      .option(
        "--max-states <n>",
        "states that schedules are gone through to (default: 1000000, 50000 before the solver is asked)",
        atLeastOne("--max-states"),
      )
      .option("--env <K=V>", "set a variable for the program (repeatable)", collect, [])
      .addOption(choice("--platform <name>", "what persists at a crash", ["px86", "eadr", "strict"]))
      .addOption(choice("--failed-cas <as>", "what a compare-and-swap that fails does", ["fence", "load"]))
      .addOption(
        choice("--encoding <name>", "executions cut off by the crash, whole ones, or both compared", [
          "full",
          "partial",
          "both",
        ]),
      )
      .option("--test <name...>", "only these tests")
      .option("--json", "the results as JSON")
      .option("--proof <file>", "write what shows that forbidden outcomes are")
      .option("--check", "the files are such proofs: check them")
      .option("--time <duration>", "stop after 90s, 10m or 2h", duration("--time"))
      .option(
        "--max-host-memory <bytes>",
        "memory that Blackout itself may hold (default: half of what there is, at most 8Gi)",
        atLeastOne("--max-host-memory"),
      ),
    [
      "blackout prove --thread producer --thread consumer --recover check -- ./queue",
      "two functions as threads, and one that runs after a crash",
    ],
    [
      "blackout prove commit.litmus --proof commit.proof",
      "every schedule and every crash of a litmus program, and the proof",
    ],
  );

export async function proveCommand(args: readonly string[]): Promise<number> {
  const command = proveCommandLine();
  command.parse([...args], { from: "user" });
  const given = command.opts<ProveFlags & ProveCodeFlags>();
  const isSolvers =
    given.bound !== undefined || given.proof !== undefined || command.getOptionValueSource("encoding") === "cli";
  const flags = { ...given, ...(given.by === "both" && isSolvers && { by: "solver" as const }) };
  if (flags.thread.length > 0) return await proveCodeCommand(command.args, flags);
  return flags.check ? await checkProofs(command.args) : await proveFiles(command.args, flags);
}

async function checkProofs(files: readonly string[]): Promise<number> {
  const claims = files.flatMap((file) => readProof(file, readText(file, "proof")).claims);
  if (claims.length === 0) throw new InputError("prove/empty", `${files.join(", ")} claims nothing.`, { files });
  const start = await startZ3();
  let wrong = 0;
  for (const claim of claims) {
    const fault = faultOf(claim, start);
    if (fault !== undefined) wrong++;
    stdoutLine(`${printable(claim.claim)}: ${fault === undefined ? "holds" : `not proven: ${fault}`}`);
  }
  stdoutLine(`${claims.length} claims, ${wrong} not proven`);
  return wrong === 0 ? exitCode.clean : exitCode.findings;
}

function testsOf(files: readonly string[], names: readonly string[] | undefined): LitmusTest[] {
  const tests = files.flatMap((file) => parseTests({ file, text: readText(file, "litmus") }));
  for (const name of names ?? [])
    if (!tests.some((test) => test.name === name))
      throw new InputError("prove/no-test", `There is no test named ${name} in ${files.join(", ")}.`, { name });
  return names === undefined ? tests : tests.filter(({ name }) => names.includes(name));
}

const isWrong = ({ verdict, expected }: ProvedOutcome): boolean => expected !== undefined && expected !== verdict;

async function proveFiles(files: readonly string[], flags: ProveFlags): Promise<number> {
  const run = optionsFor(flags.platform, flags.failedCas);
  const alarm = startAlarm({ seconds: flags.time, bytes: flags.maxHostMemory });
  const tests = testsOf(files, flags.test);
  const port = { start: await startZ3(), alarm };
  const encodings = encodingsOf(flags);
  const proved = tests.map((test) => {
    const result = proveTest(test, run, port, encodings);
    if (!flags.json) stdoutLine(testText(result));
    return result;
  });
  const outcomes = proved.flatMap((test) => test.outcomes);
  const wrong = outcomes.filter(isWrong).length;
  if (flags.proof !== undefined) writeProof(flags.proof, outcomes);
  if (flags.json) stdoutLine(JSON.stringify(proved.map(testJson), undefined, 1));
  else stdoutLine(`${tests.length} tests, ${outcomes.length} outcomes, ${wrong} not as written`);
  return wrong === 0 ? exitCode.clean : exitCode.findings;
}

const writeProof = (path: string, outcomes: readonly ProvedOutcome[]): void =>
  writeWhole(path, `${JSON.stringify({ blackoutProof: 1, claims: outcomes.flatMap(({ claim }) => claim ?? []) })}\n`);

const testJson = ({ test, outcomes }: ProvedTest) => ({
  test,
  outcomes: outcomes.map(({ check, verdict, expected, execution }) => ({ check, verdict, expected, execution })),
});

function testText({ test, outcomes }: ProvedTest): string {
  const lines = outcomes.flatMap((outcome) => {
    const { verdict, check, why, expected, execution } = outcome;
    const claim = expected === undefined ? "" : isWrong(outcome) ? `  BUT EXPECTED ${expected}` : "  as expected";
    const proven = verdict === "FORBIDDEN" ? "proven" : "shown";
    const head = `  ${verdict.padEnd(9)} ${check}  ${proven}${claim}${why === "" ? "" : `  (${why})`}`;
    return [
      head,
      ...(isWrong(outcome) || expected === undefined ? (execution ?? []) : []).map((line) => `      ${line}`),
    ];
  });
  return [test, ...lines].map(printable).join("\n");
}
