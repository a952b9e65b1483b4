/** Makes a machine of a program: its place on the host, its environment, its files and streams. */
import { belowRoot, type HostPorts, InputError, resolvePath } from "../../base/index.ts";
import { Machine, type MachineOptions, pathFromText } from "../../machine/index.ts";
import { keptCodeOf } from "./kept-code.ts";
import type { ProgramOptions } from "./options.ts";
import { heapEnvironment, placeHeap } from "./pm-heap.ts";
import { readableFiles } from "./readable.ts";

/** What every guest starts with: nothing of the host's environment gets in unasked, so runs repeat anywhere. */
const baseEnvironment = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
} as const;

function environmentOf(given: readonly string[]): readonly string[] {
  const entries = new Map<string, string>(Object.entries(baseEnvironment));
  for (const text of given) entries.set(text.slice(0, text.indexOf("=")), text.slice(text.indexOf("=") + 1));
  return [...entries].map(([name, value]) => `${name}=${value}`);
}

const rootOf = ({ root, directory }: ProgramOptions): string =>
  root === undefined ? "/" : resolvePath(directory, root);

/** As a shell finds it: a name without a slash is looked for along PATH. */
function findProgram(name: string, options: ProgramOptions, { files }: HostPorts): string {
  const root = rootOf(options);
  if (name.includes("/")) return root === "/" ? resolvePath(options.directory, name) : name;
  for (const folder of baseEnvironment.PATH.split(":")) {
    const entry = files.lstat(pathFromText(belowRoot(root, `${folder}/${name}`)));
    if (typeof entry === "object" && (entry.kind === "file" || entry.kind === "symlink")) return `${folder}/${name}`;
  }
  throw new InputError("cli/not-found", `There is no program ${name} along ${baseEnvironment.PATH}: give its path.`, {
    name,
  });
}

/** Where a command's program lies on the host. */
export const programFile = (options: ProgramOptions, [name = ""]: readonly string[], ports: HostPorts): string =>
  belowRoot(rootOf(options), findProgram(name, options, ports));

/** A machine for the program, nothing loaded; `more` is what the caller adds to the options. */
export function machineFor(
  options: ProgramOptions,
  command: readonly string[],
  ports: HostPorts,
  more: Partial<MachineOptions> = {},
): Machine {
  // Many short recoveries would never run long enough to be asked about.
  ports.alarm?.();
  const root = rootOf(options);
  return new Machine({
    host: readableFiles(options, root, programFile(options, command, ports), ports),
    streams: more.streams ?? ports.console(),
    workingDirectory: root === "/" ? pathFromText(options.directory) : "/",
    root: pathFromText(root),
    grants: (options.grants ?? []).map((folder) => pathFromText(resolvePath(options.directory, folder))),
    seed: options.seed,
    cpu: options.cpu,
    limits: options.limits,
    hooks: { notice: ports.notice },
    alarm: ports.alarm,
    spent: ports.spent,
    ...(options.measured && { clock: ports.milliseconds }),
    ...(!options.jit && { hotAfter: 0 }),
    keptCode: keptCodeOf(programFile(options, command, ports), ports),
    ...more,
  });
}

/** Puts a program into a machine that was made for it. */
export function loadInto(
  machine: Machine,
  options: ProgramOptions,
  command: readonly string[],
  ports: HostPorts,
): void {
  const path = pathFromText(findProgram(command[0]!, options, ports));
  const bytesOf = (texts: readonly string[]) => (options.byteWords === true ? texts : texts.map(pathFromText));
  machine.load(path, bytesOf(command), bytesOf(environmentOf(heapEnvironment(options.pmHeap, options.env))));
  placeHeap(options.pmHeap, machine, command[0]!, ports);
}

/** A machine with the program loaded, ready to run. */
export function loadProgram(
  options: ProgramOptions,
  command: readonly string[],
  ports: HostPorts,
  more: Partial<MachineOptions> = {},
): Machine {
  if (command[0] === undefined)
    throw new InputError("cli/no-program", "Say which program to run: blackout run [options] -- PROGRAM [ARGS...].");
  const machine = machineFor(options, command, ports, more);
  loadInto(machine, options, command, ports);
  return machine;
}
