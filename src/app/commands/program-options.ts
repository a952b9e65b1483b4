/** Options of every command that runs a program, and what they mean as data. */
import { type Command, Option } from "commander";
import { type HostPorts, InputError, resolvePath } from "../../base/index.ts";
import { realPorts, startAlarm } from "../../host/index.ts";
import {
  type PmHeap,
  type ProgramOptions,
  readSchedule,
  type SubjectOptions,
  splitCommand,
} from "../../session/subject/index.ts";
import { atLeastOne, collect, duration, ownCommand, wholeNumber } from "./options.ts";

/** As they stand on the command line. */
export interface ProgramFlags {
  readonly seed: number;
  readonly cpu: "v2" | "v3";
  readonly rw: readonly string[];
  readonly root?: string;
  readonly read: readonly string[];
  readonly env: readonly string[];
  readonly maxInstructions?: number;
  readonly maxMemory?: number;
  readonly maxThreads?: number;
  readonly maxOutput?: number;
  readonly maxFileBytes?: number;
  readonly maxFiles?: number;
  readonly maxDescriptors?: number;
  readonly maxHostMemory?: number;
  /** In seconds. */
  readonly time?: number;
  readonly jit: boolean;
  readonly stats?: boolean;
  readonly pmHeap?: PmHeap;
  readonly pmHeapFill?: number;
}

// biome-ignore format: columns stay aligned
export const programCommand = (name: string, cpu: "v2" | "v3" = "v3"): Command =>
  ownCommand(name)
    .argument("<program...>", "the program and its arguments, after --")
    .passThroughOptions()
    .optionsGroup("The program and its machine:")
    .option("--seed <n>",               "seed of the scheduler and of everything random", wholeNumber("--seed"), 0)
    .addOption(new Option("--cpu <level>", "the processor: x86-64-v3 with AVX2, FMA and BMI2, or x86-64-v2").choices(["v2", "v3"]).default(cpu))
    .option("--rw <dir>",               "let the program's writes below this directory reach the host (repeatable)", collect, [])
    .option("--root <dir>",             "another file tree as the program's /")
    .option("--read <dir>",             "let the program read only below this directory, --rw and the system's libraries (repeatable)", collect, [])
    .option("--env <K=V>",              "set a variable for the program; a name alone passes ours on (repeatable)", collect, [])
    .optionsGroup("Limits:")
    .option("--max-instructions <n>",   "stop after so many instructions", wholeNumber("--max-instructions"))
    .option("--max-memory <bytes>",     "address space the program may map", wholeNumber("--max-memory"))
    .option("--max-threads <n>",        "threads alive at once", atLeastOne("--max-threads"))
    .option("--max-output <bytes>",     "bytes to stdout and stderr together", wholeNumber("--max-output"))
    .option("--max-file-bytes <bytes>", "bytes of files kept in memory", wholeNumber("--max-file-bytes"))
    .option("--max-files <n>",          "files and directories the program may create", wholeNumber("--max-files"))
    .option("--max-descriptors <n>",    "files open at once", wholeNumber("--max-descriptors"))
    .option("--max-host-memory <bytes>", "memory that Blackout itself may hold (default: half of what there is, at most 8Gi)", atLeastOne("--max-host-memory"))
    .option("--time <duration>",        "stop after 90s, 10m or 2h, and report what is known", duration("--time"))
    .option("--pm-heap <file[:size]>",  "serve the program's malloc from this file of persistent memory (default size: 64M)", pmHeap)
    .option("--pm-heap-fill <byte>",    "what memory of --pm-heap holds that is given for the first time, from 0 to 255", fillByte, usualFill)
    .option("--no-jit",                 "interpret everything");

const heapSizes = { K: 2 ** 10, M: 2 ** 20, G: 2 ** 30 } as const;
/** Room for the roots and something more; as much as fits at the heap's address. */
const heapBytes = { least: 8 * heapSizes.M, usual: 64 * heapSizes.M, most: heapSizes.G } as const;

/** No allocator promises zeros; neither a small number nor a pointer into the heap. */
const usualFill = 0xa5;

function fillByte(text: string): number {
  const byte = wholeNumber("--pm-heap-fill")(text);
  if (byte > 0xff)
    throw new InputError("cli/pm-heap-fill", `--pm-heap-fill is a byte, from 0 to 255, not ${text}.`, { text });
  return byte;
}

/** FILE, or FILE:SIZE with K, M or G. */
function pmHeap(text: string): PmHeap {
  const [, file, digits, unit] = /^(.+?)(?::(\d{1,12})([KMG]?))?$/.exec(text) ?? [];
  const given = Number(digits) * (heapSizes[unit as keyof typeof heapSizes] ?? 1);
  const bytes = digits === undefined ? heapBytes.usual : given;
  if (file === undefined || bytes < heapBytes.least || bytes > heapBytes.most)
    throw new InputError("cli/pm-heap", `--pm-heap takes FILE or FILE:SIZE with a size from 8M to 1G, not "${text}".`, {
      text,
    });
  return { file, bytes };
}

/** The machine's limits, by the flags that set them. */
const limitFlags = {
  instructions: "maxInstructions",
  memory: "maxMemory",
  threads: "maxThreads",
  output: "maxOutput",
  bytes: "maxFileBytes",
  files: "maxFiles",
  descriptors: "maxDescriptors",
} as const satisfies Readonly<Record<string, keyof ProgramFlags>>;

/** Said by the user to reach the program's libraries, so they are passed on. */
const passedOn = ["LD_LIBRARY_PATH", "LD_PRELOAD"] as const;

/** `K=V`, or `K` alone to pass our own variable on. */
function environmentEntry(text: string): string {
  if (/^[^=]+=/.test(text)) return text;
  const value = process.env[text];
  if (text === "" || value === undefined)
    throw new InputError(
      "cli/env",
      `--env takes NAME=VALUE, or the name of a variable that is set here; "${text}" is neither.`,
      { text },
    );
  return `${text}=${value}`;
}

const environmentOf = (given: readonly string[]): readonly string[] => [
  ...passedOn.filter((name) => process.env[name] !== undefined).map((name) => `${name}=${process.env[name]}`),
  ...given.map(environmentEntry),
];

/** The real world, with an alarm that ends what runs when the command's time or memory is used up. */
export const alarmedPorts = ({ time, maxHostMemory }: Pick<ProgramFlags, "time" | "maxHostMemory">): HostPorts => ({
  ...realPorts(),
  alarm: startAlarm({ seconds: time, bytes: maxHostMemory }),
});

export function programOptions(flags: ProgramFlags): ProgramOptions {
  const limits = Object.entries(limitFlags).flatMap(([limit, flag]) => {
    const value = flags[flag];
    return value === undefined ? [] : [[limit, value] as const];
  });
  return {
    directory: process.cwd(),
    ...(flags.root !== undefined && { root: flags.root }),
    ...(flags.read.length > 0 && { readable: flags.read }),
    env: environmentOf(flags.env),
    seed: flags.seed,
    cpu: flags.cpu,
    limits: Object.fromEntries(limits),
    jit: flags.jit,
    ...(flags.pmHeap !== undefined && { pmHeap: { ...flags.pmHeap, fill: flags.pmHeapFill ?? usualFill } }),
    grants: flags.rw,
    ...(flags.stats && { measured: true }),
  };
}

/** Of commands that look at a program's persistent memory. */
export interface SubjectFlags extends ProgramFlags {
  readonly setup?: string;
  readonly recover?: readonly string[];
  readonly then?: string;
  readonly pm: readonly string[];
  readonly pmMode?: "dax" | "msync";
  readonly schedule?: string;
  readonly leaks?: boolean;
}

/** Of commands that trace a program. */
export const addScheduleOption = (command: Command): Command =>
  command.option(
    "--schedule <what>",
    "how threads take turns and when their stores become visible: a number, or turn: and drain: choices as they were printed",
  );

/** Where some are named, the heap's file is one more. */
const persistentFiles = ({ pm, pmHeap, root }: SubjectFlags): readonly string[] =>
  pm.length === 0 || pmHeap === undefined
    ? pm
    : [...pm, resolvePath(root === undefined ? process.cwd() : "/", pmHeap.file)];

function recoveriesOf(commands: readonly string[]): Pick<SubjectOptions, "recover" | "furtherRecoveries"> {
  const [recover, ...furtherRecoveries] = commands.map(splitCommand);
  if (recover === undefined) return {};
  return { recover, ...(furtherRecoveries.length > 0 && { furtherRecoveries }) };
}

export const subjectOptions = (
  flags: SubjectFlags,
  program: readonly string[],
  annotated: boolean,
): SubjectOptions => ({
  ...programOptions(flags),
  program,
  ...(flags.setup !== undefined && { setup: splitCommand(flags.setup) }),
  ...recoveriesOf(flags.recover ?? []),
  ...(flags.then !== undefined && { thenCommand: splitCommand(flags.then) }),
  pm: persistentFiles(flags),
  pmMode: flags.pmMode ?? "dax",
  annotated,
  ...(flags.leaks && { findsLeaks: true as const }),
  ...(flags.schedule !== undefined && { schedule: readSchedule(flags.schedule) }),
});
