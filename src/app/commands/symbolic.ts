/** `blackout symbolic`: parts of the input are unknown; every path that they make a program take is judged by the rules. */
import type { Command } from "commander";
import { counted, InputError, resolvePath } from "../../base/index.ts";
import {
  type CommandInput,
  rulesEngine,
  runSymbolic,
  type SearchPolicy,
  type SymbolicResult,
  searches,
  type UnknownCommand,
} from "../../engines/index.ts";
import { realPorts } from "../../host/index.ts";
import { pathFromText } from "../../machine/index.ts";
import { programFile } from "../../session/subject/index.ts";
import { deliver } from "./deliver.ts";
import { exitCode } from "./exit-codes.ts";
import { atLeastOne, collect, oneOf, wholeNumber, withExamples } from "./options.ts";
import { alarmedPorts, programCommand, programOptions, type SubjectFlags, subjectOptions } from "./program-options.ts";
import { addReportOptions, parseWithConfig, type ReportFlags } from "./report-options.ts";
import { loadRules } from "./rule-files.ts";
import { writeCorpus, writeInputs } from "./symbolic-inputs.ts";

interface SymbolicFlags extends SubjectFlags, ReportFlags {
  readonly symArg: readonly string[];
  readonly symStdin: number;
  readonly symEnv: readonly string[];
  readonly symFile: readonly string[];
  readonly symPool: readonly string[];
  readonly symCalls?: boolean;
  readonly maxPaths: number;
  readonly maxPathInstructions: number;
  readonly maxValues: number;
  readonly search: SearchPolicy;
  readonly out?: string;
  readonly cover?: string;
  readonly pmMode: "dax" | "msync";
  readonly platform: "px86" | "eadr" | "strict";
  readonly annotations: "on" | "off";
}

/** libc chooses its string functions by the processor: with AVX2 they compare 32 unknown bytes at once, and a path takes minutes. */
const cpuOfPaths = "v2";

// biome-ignore format: columns stay aligned
export const symbolicCommandLine = (): Command =>
  withExamples(addReportOptions(programCommand("blackout symbolic", cpuOfPaths)
    .description("Runs a program whose input is unknown in part, follows every path that it can take, and judges each as blackout trace does. A finding comes with the input that leads to it.")
    .optionsGroup("What is unknown:")
    .option("--sym-arg <n[:length]>",  "argument n of the program, 1 being the first: its bytes, or so many (repeatable)", collect, [])
    .option("--sym-stdin <bytes>",     "standard input: so many bytes, and no more", atLeastOne("--sym-stdin"), 0)
    .option("--sym-env <name[:length]>", "a variable of the environment: its bytes, or so many (repeatable)", collect, [])
    .option("--sym-file <path[:from-to]>", "what a file holds when the program starts: all of it, or so many bytes (repeatable)", collect, [])
    .option("--sym-pool <path[:from-to]>", "the same for a file of persistent memory", collect, [])
    .option("--sym-calls",             "nothing else: the program says by blackout_symbolic what is unknown")
    .optionsGroup("How far it goes:")
    .option("--max-paths <n>",         "stop after so many paths", wholeNumber("--max-paths"), 100_000)
    .option("--max-path-instructions <n>", "give a path up after so many instructions", wholeNumber("--max-path-instructions"), 1_000_000_000)
    .option("--max-values <n>",        "where something unknown must be one number (an address, floating point), follow so many values", atLeastOne("--max-values"), 256)
    .option("--search <policy>",       "which path is gone next: coverage (a way that none has gone), breadth, depth or random", oneOf("--search", searches), "coverage")
    .option("--out <dir>",             "write the input of each finding there, and a script that runs it without Blackout")
    .option("--cover <dir>",           "write an input there for each path that modifies persistent memory as no other does: check --input takes them")
    .optionsGroup("What is judged:")
    .option("--setup <command>",       "run this first, untraced; its files are there when the program starts")
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--pm-mode <mode>",        "dax: flushes persist; msync: only msync does", oneOf("--pm-mode", ["dax", "msync"]), "dax")
    .option("--platform <name>",       "px86, eadr (caches survive) or strict", oneOf("--platform", ["px86", "eadr", "strict"]), "px86")
    .option("--annotations <on|off>",  "answer Valgrind's client requests, as pmemcheck would", oneOf("--annotations", ["on", "off"]), "on")),
    ["blackout symbolic --sym-arg 1:8 -- ./store put pool", "the first argument is any eight bytes"],
    ["blackout symbolic --sym-stdin 16 -- ./store serve pool", "what it reads from standard input is any sixteen bytes"]);

/** NAME or NAME:LENGTH. */
function lengths(option: string, texts: readonly string[], name: RegExp): ReadonlyMap<string, number | undefined> {
  const found = texts.map((text): [string, number | undefined] => {
    const [, key = "", length] = /^(.+?)(?::(\d{1,6}))?$/.exec(text) ?? [];
    if (!name.test(key) || Number(length) === 0)
      throw new InputError("symbolic/option", `${option} takes what is unknown, or that and its LENGTH after a colon, not "${text}".`, { text }); // biome-ignore format: one sentence
    return [key, length === undefined ? undefined : Number(length)];
  });
  if (new Set(found.map(([key]) => key)).size < found.length)
    throw new InputError("symbolic/twice", `${option} names the same twice: once is enough.`, { option });
  return new Map(found);
}

/** PATH, or PATH:FROM-TO. */
function rangesOf(texts: readonly string[]): UnknownCommand["files"] {
  return new Map(
    texts.map((text) => {
      const [, path = text, from, to] = /^(.+):(\d{1,10})-(\d{1,10})$/.exec(text) ?? [];
      const absolute = pathFromText(resolvePath(process.cwd(), path));
      return [absolute, from === undefined ? undefined : { from: Number(from), to: Number(to) }] as const;
    }),
  );
}

function unknownOf({ symArg, symStdin, symEnv, symCalls, symFile, symPool }: SymbolicFlags): UnknownCommand {
  const files = rangesOf([...symFile, ...symPool]);
  const args = lengths("--sym-arg", symArg, /^\d{1,4}$/);
  const environment = lengths("--sym-env", symEnv, /^[^=]+$/);
  if (args.size + environment.size + files.size + symStdin === 0 && symCalls !== true)
    throw new InputError(
      "symbolic/nothing",
      "Say what is unknown: --sym-arg N, --sym-stdin BYTES, --sym-env NAME, --sym-file PATH; or --sym-calls where the program says so itself.",
    );
  return {
    args: new Map([...args].map(([key, length]) => [Number(key), length])),
    stdin: symStdin,
    environment,
    files,
  };
}

/** What was not followed, in words; empty where everything was. */
function leftOut({ counts, pending, stop }: SymbolicResult, { maxPaths }: SymbolicFlags): string {
  const parts = [
    ...(stop === undefined ? [] : [stop]),
    ...(pending > 0 ? [`${counted(pending, "path")} not gone${counts.paths >= maxPaths ? " (--max-paths)" : ""}`] : []),
    ...(counts.unfinished > 0 ? [`${counted(counts.unfinished, "path")} given up before the end`] : []),
    ...(counts.dropped > 0 ? [`more values than --max-values at ${counted(counts.dropped, "place")}`] : []),
    ...(counts.undecided > 0 ? [`${counted(counts.undecided, "question")} that the solver left open`] : []),
  ];
  return parts.join("; ");
}

/** The last line. */
function closingLine(result: SymbolicResult, flags: SymbolicFlags): string {
  const { counts, unknownBytes, hasStored } = result;
  const gone = `blackout: ${counted(counts.paths, "path")} through the program with ${counted(unknownBytes, "unknown byte")}`;
  const rest = leftOut(result, flags);
  if (rest !== "") return `${gone}; no verdict on all inputs: ${rest}`;
  return hasStored ? `${gone}: all there are` : `${gone}: nothing was tested, none stores to persistent memory`;
}

export async function symbolicCommand(args: readonly string[]): Promise<number> {
  const command = symbolicCommandLine();
  parseWithConfig(command, "symbolic", args);
  const flags = command.opts<SymbolicFlags>();
  const { platform, pmMode: mode, disable } = flags;
  const custom = await loadRules(flags.rule);
  const rules = rulesEngine({ platform, mode, disabled: new Set(disable), custom, wantsAnnotations: false });
  const { maxPaths: paths, maxPathInstructions: instructions, maxValues: values } = flags;
  const unknown = unknownOf(flags);
  const covered: CommandInput[] = [];
  const result = await runSymbolic(
    {
      subject: subjectOptions({ ...flags, rw: [] }, command.args, flags.annotations === "on"),
      unknown,
      limits: { paths, instructions, values, search: flags.search },
    },
    [rules],
    alarmedPorts(flags),
    ({ input, hasStored }) => void (hasStored && covered.push(input)),
  );
  if (flags.cover !== undefined) {
    const { args: unknownArgs, environment, files } = unknown;
    writeCorpus(flags.cover, covered, unknownArgs.size + environment.size + files.size === 0);
  }
  if (flags.out !== undefined) writeInputs(flags.out, result.found);
  const code = deliver(flags, {
    findings: result.found.map(({ finding }) => finding),
    rules: rules.rules,
    facts: {
      run: {
        command: "symbolic",
        engines: ["rules"],
        program: command.args,
        directory: process.cwd(),
        events: result.events,
      },
    },
    wasCut: !result.isComplete,
    closing: closingLine(result, flags),
    program: programFile(programOptions(flags), command.args, realPorts()),
  });
  const isVerdict = result.isComplete && (result.hasStored || flags.allowEmpty === true);
  return code ?? (isVerdict ? exitCode.clean : exitCode.noVerdict);
}
