/** Everything that makes a machine from a command line: the program, its environment, its files and streams. */
import { resolve } from "node:path";
import { InputError } from "../base/index.ts";
import { monotonicSeconds, RealFiles, standardStreams, stderrLine } from "../host/index.ts";
import { Machine, type MachineOptions, pathFromText } from "../vm/index.ts";
import { keptCodeOf } from "./kept-files.ts";
import { environmentEntry } from "./options.ts";

export interface ProgramOptions {
  readonly seed: number;
  readonly rw: readonly string[];
  readonly root?: string;
  readonly env: readonly string[];
  readonly maxInstructions?: number;
  readonly maxMemory?: number;
  readonly maxThreads?: number;
  readonly maxOutput?: number;
  readonly maxFileBytes?: number;
  readonly maxFiles?: number;
  readonly maxDescriptors?: number;
  readonly jit: boolean;
  readonly stats?: boolean;
}

/** What every guest starts with: nothing of the host's environment gets in unasked, so runs repeat anywhere. */
const baseEnvironment = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
} as const;
/** Said by the user to reach the program's libraries, so they are passed on. */
const passedOn = ["LD_LIBRARY_PATH", "LD_PRELOAD"] as const;

function environmentOf(given: readonly string[]): readonly string[] {
  const entries = new Map<string, string>(Object.entries(baseEnvironment));
  for (const name of passedOn) if (process.env[name] !== undefined) entries.set(name, process.env[name]);
  for (const text of given.map(environmentEntry))
    entries.set(text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1));
  return [...entries].map(([name, value]) => pathFromText(`${name}=${value}`));
}

/** As a shell finds it: a name without a slash is looked for along PATH. */
function findProgram(name: string, root: string, host: RealFiles): string {
  if (name.includes("/")) return root === "/" ? resolve(name) : name;
  for (const folder of baseEnvironment.PATH.split(":")) {
    const entry = host.lstat(pathFromText(resolve(root, `.${folder}/${name}`)));
    if (typeof entry === "object" && (entry.kind === "file" || entry.kind === "symlink")) return `${folder}/${name}`;
  }
  throw new InputError("cli/not-found", `There is no program ${name} along ${baseEnvironment.PATH}: give its path.`, {
    name,
  });
}

const rootOf = ({ root }: ProgramOptions): string => (root === undefined ? "/" : resolve(root));

/** Where a command's program lies on the host. */
export function programFile(options: ProgramOptions, [name = ""]: readonly string[]): string {
  const root = rootOf(options);
  const path = findProgram(name, root, new RealFiles());
  return root === "/" ? path : resolve(root, `.${path}`);
}

/** A machine with the program loaded, ready to run; `more` is what a command adds to the user's options. */
export function loadProgram(
  options: ProgramOptions,
  command: readonly string[],
  more: Partial<MachineOptions> = {},
): Machine {
  const [name, ...args] = command;
  if (name === undefined)
    throw new InputError("cli/no-program", "Say which program to run: blackout run [options] -- PROGRAM [ARGS...].");
  const host = new RealFiles();
  const root = rootOf(options);
  const limits = {
    ...(options.maxInstructions !== undefined && { instructions: options.maxInstructions }),
    ...(options.maxMemory !== undefined && { memory: options.maxMemory }),
    ...(options.maxThreads !== undefined && { threads: options.maxThreads }),
    ...(options.maxOutput !== undefined && { output: options.maxOutput }),
    ...(options.maxFileBytes !== undefined && { bytes: options.maxFileBytes }),
    ...(options.maxFiles !== undefined && { files: options.maxFiles }),
    ...(options.maxDescriptors !== undefined && { descriptors: options.maxDescriptors }),
  };
  const machine = new Machine({
    host,
    streams: standardStreams(),
    workingDirectory: root === "/" ? pathFromText(process.cwd()) : "/",
    root: pathFromText(root),
    grants: options.rw.map((folder) => pathFromText(resolve(folder))),
    seed: options.seed,
    limits,
    hooks: { notice: (line) => stderrLine(`blackout: ${line}`) },
    ...(options.stats && { clock: () => monotonicSeconds() * 1000 }),
    ...(!options.jit && { hotAfter: 0 }),
    keptCode: keptCodeOf(programFile(options, command)),
    ...more,
  });
  const path = pathFromText(findProgram(name, root, host));
  machine.load(path, [name, ...args].map(pathFromText), environmentOf(options.env));
  return machine;
}
