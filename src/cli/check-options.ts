/** The options of `blackout check`. */
import { InputError } from "../base/index.ts";
import type { Granularity } from "../crash/index.ts";
import type { SessionOptions } from "./check-session.ts";
import { atLeastOne, collect, duration, wholeNumber } from "./options.ts";
import { type ReportFormat, reportFormats } from "./report-formats.ts";
import { programCommand } from "./run.ts";

export interface CheckOptions extends SessionOptions {
  readonly expectExit: number;
  readonly oracle: "exit" | "output";
  readonly granularity: Granularity;
  readonly allPoints?: boolean;
  readonly memo: boolean;
  readonly rules: boolean;
  readonly maxStates?: number;
  /** In seconds. */
  readonly time?: number;
  readonly hangLimit?: number;
  readonly jobs?: number;
  /** Its folder; false for none. */
  readonly journal: string | false;
  readonly resume?: boolean;
  readonly format: ReportFormat;
  readonly report?: string;
  readonly witness?: string;
}

export const defaultJournal = ".blackout";

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
    .option("--oracle <what>",         "exit: recovery must exit well; output: and print what it prints after a clean stop", oneOf("--oracle", ["exit", "output"]), "exit")
    .option("--pm <glob>",             "files that are persistent memory when mapped shared (repeatable; all of them if not given)", collect, [])
    .option("--annotations <whose>",   "answer Valgrind's client requests: rules: in a run of its own that the rules judge; on: in the run that is checked; off", oneOf("--annotations", ["rules", "on", "off"]), "rules")
    .option("--granularity <what>",    "failure points before each flush, fence and msync, or before each store too", oneOf("--granularity", ["flush", "store"]), "flush")
    .option("--all-points",            "every dynamic failure point, not one for each place with its calls")
    .option("--hang-limit <n>",        "instructions a recovery may run (default: 20 times the undisturbed recovery)", wholeNumber("--hang-limit"))
    .option("-j, --jobs <n>",          "crash states judged at once (default: as many as there are cores)", atLeastOne("--jobs"))
    .option("--max-states <n>",        "judge only so many crash states, the first ones", wholeNumber("--max-states"))
    .option("--time <duration>",       "stop after 90s, 10m or 2h, and report what is known", duration("--time"))
    .option("--journal <dir>",         "keep what is judged there until the check is done, so that --resume can go on", defaultJournal)
    .option("--no-journal",            "keep nothing")
    .option("--resume",                "go on with the check that the journal is of")
    .option("--no-memo",               "run recovery on every crash state, also on equal ones")
    .option("--no-rules",              "leave out the rules over the trace")
    .option("--witness <file>",        "write how to see each crash finding again, for blackout replay")
    .option("--format <name>",         "text, json, sarif or junit", oneOf("--format", reportFormats), "text")
    .option("--report <file>",         "write the report to a file; otherwise text goes to stderr, the others to stdout")
    .option("--stats",                 "print one JSON line of statistics on stderr");
