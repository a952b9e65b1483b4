/** `blackout prove --thread F --recover R -- PROGRAM`: functions of a program as threads, and what must hold after any crash of them. */
import { assert, InputError, printable } from "../../base/index.ts";
import {
  type AnyCrash,
  allSchedules,
  type CodeVerdict,
  callBeforeMain,
  type ExplicitVerdict,
  executionLines,
  ProgramCode,
  proveCode,
  runToMain,
  scheduleLines,
  type ThreadCall,
  Unencodable,
} from "../../engines/index.ts";
import { readLimits, readWhole, stdoutLine, writeWhole } from "../../host/index.ts";
import { optionsFor } from "../../model/litmus/index.ts";
import type { FailedCas, Platform } from "../../model/pmem/index.ts";
import { loadProgram, programFile } from "../../session/subject/index.ts";
import { startZ3 } from "../../smt/index.ts";
import { exitCode } from "./exit-codes.ts";
import { alarmedPorts, programOptions } from "./program-options.ts";

export interface ProveCodeFlags {
  readonly thread: readonly string[];
  readonly recover?: string;
  readonly init?: string;
  readonly bound?: number;
  readonly by: "both" | "schedules" | "solver";
  readonly maxStates?: number;
  readonly env: readonly string[];
  readonly platform: Platform;
  readonly failedCas: FailedCas;
  readonly encoding: AnyCrash | "both";
  readonly json?: boolean;
  readonly proof?: string;
  readonly time?: number;
  readonly maxHostMemory?: number;
}

/** Schedules are gone through to so many states: within a minute or two; and within seconds where the solver is asked then. */
const mostStates = 1_000_000;
const statesBeforeSolver = 50_000;

const answerCodes: Readonly<Record<CodeVerdict["answer"], number>> = {
  safe: exitCode.clean,
  "safe up to the bound": exitCode.clean,
  unsafe: exitCode.findings,
  "no verdict": exitCode.noVerdict,
  vacuous: exitCode.noVerdict,
};

/** FUNCTION or FUNCTION(NUMBER,...). */
function callIn(text: string): ThreadCall {
  const [, name, list] = /^([\w.$@]+)(?:\((.*)\))?$/.exec(text.trim()) ?? [];
  const args = (list ?? "").split(",").filter((word) => word.trim() !== "");
  if (
    name === undefined ||
    args.length > 6 ||
    !args.every((word) => /^\s*-?(0x[\da-f]{1,16}|\d{1,19})\s*$/i.test(word))
  )
    throw new InputError(
      "prove/call",
      `A function is given as NAME or NAME(1,0x10), with six numbers at most, not "${text}".`,
      { text },
    );
  return { name, args: args.map((word) => numberIn(word.trim())) };
}

/** How crashes are encoded, one way after the other. */
export const encodingsOf = ({ encoding }: { readonly encoding: AnyCrash | "both" }): readonly AnyCrash[] =>
  encoding === "both" ? ["full", "partial"] : [encoding];

const numberIn = (word: string): bigint => (word.startsWith("-") ? -BigInt(word.slice(1)) : BigInt(word));

export async function proveCodeCommand(program: readonly string[], flags: ProveCodeFlags): Promise<number> {
  if (flags.recover === undefined)
    throw new InputError("prove/recover", "Say which function runs after a crash: --recover FUNCTION.");
  const [threads, recover] = [flags.thread.map(callIn), callIn(flags.recover)];
  const ports = alarmedPorts(flags);
  const { alarm = () => {} } = ports;
  const options = programOptions({ seed: 0, cpu: "v3", rw: [], read: [], env: flags.env, jit: true });
  const machine = loadProgram(options, program, ports);
  const path = programFile(options, program, ports);
  const code = new ProgramCode(machine, readWhole(path, readLimits.binary), path);
  for (const { name } of [...threads, recover]) demandFunction(code, name, path);
  runToMain(machine);
  if (flags.init !== undefined) callBeforeMain(machine, flags.init, demandFunction(code, flags.init, path));
  const { model } = optionsFor(flags.platform, flags.failedCas);
  const question = { code, port: machine.port, threads, recover };
  if (flags.by !== "solver") {
    const states = flags.maxStates ?? (flags.by === "both" ? statesBeforeSolver : mostStates);
    const verdict = allSchedules({ question, model, states, reduce: true, alarm });
    if (flags.by === "schedules" || verdict.answer !== "no verdict") return tellSchedules(verdict, code, flags);
  }
  const port = { start: await startZ3(), alarm };
  try {
    const proven = encodingsOf(flags).map((encoding) =>
      proveCode({ question, bound: flags.bound, model, encoding }, port),
    );
    const [verdict] = proven as [CodeVerdict, ...CodeVerdict[]];
    assert(new Set(proven.map(({ answer }) => answer)).size === 1, "prove: both encodings of a crash give one answer");
    const shown = shownVerdict(verdict, code, model);
    stdoutLine(flags.json ? JSON.stringify(shown, undefined, 1) : verdictText(shown));
    if (flags.proof !== undefined && verdict.claim !== undefined)
      writeWhole(flags.proof, `${JSON.stringify({ blackoutProof: 1, claims: [verdict.claim] })}\n`);
    return answerCodes[verdict.answer];
  } catch (error) {
    if (!(error instanceof Unencodable)) throw error;
    stdoutLine(printable(`no verdict: ${error.message}, at ${code.describe(error.address)}`));
    return exitCode.noVerdict;
  }
}

function tellSchedules(verdict: ExplicitVerdict, code: ProgramCode, { json = false }: ProveCodeFlags): number {
  const { answer, states, crashes, fails, places, moves } = verdict;
  const execution = moves && scheduleLines(verdict, code);
  const shownPlaces = places.map(({ why, at }) => ({ why, ...(at !== 0 && { at: code.describe(at) }) }));
  const shown = { answer, by: "schedules", ...(fails && { fails }), states, crashes, places: shownPlaces, execution };
  const meaning = fails === "a thread" ? "a schedule makes a thread fail" : meanings[answer];
  const lines = [
    `${answer}: ${meaning} (all schedules, ${states} states, ${crashes} kinds of crash)`,
    ...shownPlaces.map(({ why, at }) => `  ${why}${at === undefined ? "" : `: ${at}`}`),
    ...(execution ?? []).map((line) => `    ${line}`),
  ];
  stdoutLine(json ? JSON.stringify(shown, undefined, 1) : lines.map(printable).join("\n"));
  return answerCodes[answer];
}

function demandFunction(code: ProgramCode, name: string, path: string): number {
  const address = code.named(name);
  if (address === undefined)
    throw new InputError("prove/no-function", `There is no function ${name} in ${path}.`, { name });
  return address;
}

const shownVerdict = (verdict: CodeVerdict, code: ProgramCode, model: Parameters<typeof executionLines>[2]) => ({
  answer: verdict.answer,
  by: "solver",
  ...(verdict.fails !== undefined && { fails: verdict.fails }),
  bound: verdict.bound,
  events: verdict.events,
  places: verdict.places.map(({ at, why }) => ({ why, at: code.describe(at) })),
  ...(verdict.execution !== undefined && {
    execution: executionLines(verdict.execution, (address) => code.nameOf(address), model),
  }),
});

/** What an answer means. */
const meanings: Readonly<Record<CodeVerdict["answer"], string>> = {
  safe: "no schedule makes a thread fail, and no crash recovery",
  "safe up to the bound":
    "no schedule makes a thread fail, and no crash recovery, while loops are gone through so often",
  unsafe: "a crash makes recovery fail",
  "no verdict": "something may happen that is not encoded",
  vacuous: "recovery never reads what a thread has stored, or never ends: there is nothing to prove",
};

function verdictText(shown: ReturnType<typeof shownVerdict>): string {
  const { answer, fails, bound, events, places, execution } = shown;
  const meaning = fails === "a thread" ? "a schedule makes a thread fail" : meanings[answer];
  const lines = [
    `${answer}: ${meaning} (by solver, bound ${bound}, ${events} events)`,
    ...places.map(({ why, at }) => `  ${why}: ${at}`),
    ...(execution ?? []).map((line) => `    ${line}`),
  ];
  return lines.map(printable).join("\n");
}
