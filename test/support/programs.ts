/** Guest programs for tests: compiled once by the system's compiler, kept in .cache by the digest of what made them. */
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { RealFiles } from "../../src/host/index.ts";
import { Machine, type MachineOptions, type Outcome, pathFromText } from "../../src/machine/index.ts";

const root = resolve(import.meta.dirname, "../..");
const cache = join(root, ".cache/guests");

export const guestSource = (name: string): string => join(root, "guests", name);

/** A source file with those it includes by name, each as it is. */
function withIncluded(path: string): string {
  const text = readFileSync(path, "utf8");
  const names = [...text.matchAll(/^#include "(.*)"/gm)].map(([, name]) => name!);
  return [text, ...names.map((name) => withIncluded(resolve(dirname(path), name)))].join("\0");
}

/** Compiles a source file below guests/ and returns the program's path. */
export function compileGuest(name: string, flags: readonly string[] = ["-O2"]): string {
  const source = guestSource(name);
  return compiled(name.replaceAll("/", "-").replace(/\.\w+$/, ""), withIncluded(source), flags, () => source);
}

/** Compiles a program of the tutorial. */
export function compileExample(name: string, flags: readonly string[]): string {
  const source = join(root, "examples/first", name);
  return compiled(`example-${name.replace(/\.\w+$/, "")}`, withIncluded(source), ["-g", "-O1", ...flags], () => source);
}

/** Compiles C that a test has written. Files that it includes by name are looked for from the cache's folder. */
export function compileText(name: string, text: string, flags: readonly string[]): string {
  return compiled(name, text, flags, (program) => {
    writeFileSync(`${program}.c`, text);
    return `${program}.c`;
  });
}

/** What compiles a source by its name; levels of optimisation are said as to a C compiler. */
export function compilation(
  source: string,
  output: string,
  flags: readonly string[],
): readonly [compiler: string, words: readonly string[]] {
  const isRust = source.endsWith(".rs");
  const libraries = flags.filter((flag) => flag.startsWith("-l"));
  const others = flags.filter((flag) => !flag.startsWith("-l"));
  const given = isRust ? others.map((flag) => flag.replace(/^-O(\d)$/, "-Copt-level=$1")) : others;
  const words = [...given, "-o", output, source, ...libraries];
  if (isRust) return ["rustc", ["--edition=2021", "-Awarnings", ...words]];
  return [source.endsWith(".c") ? "gcc" : "g++", ["-march=x86-64-v2", ...words]];
}

function compiled(
  name: string,
  content: string,
  flags: readonly string[],
  sourceFor: (program: string) => string,
): string {
  const key = createHash("sha256").update(content).update(flags.join("\0")).digest("hex").slice(0, 16);
  const program = join(cache, `${name}-${key}`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  // Another test may be compiling the same program: the finished file appears at once.
  const partial = `${program}.${process.pid}`;
  const source = sourceFor(partial);
  const [compiler, words] = compilation(source, partial, flags);
  execFileSync(compiler, words, { stdio: ["ignore", "inherit", "inherit"] });
  renameSync(partial, program);
  return program;
}

export interface Guest {
  readonly machine: Machine;
  /** What it wrote so far to stdout (1) and stderr (2). */
  output(stream: 1 | 2): string;
  readonly notices: readonly string[];
}

/** A machine with the program loaded; output is captured, standard input is `input`. */
export function loadGuest(
  command: readonly string[],
  options: Partial<MachineOptions> & { input?: string; environment?: readonly string[] } = {},
): Guest {
  const written: Record<1 | 2, { offset: number; bytes: Uint8Array }[]> = { 1: [], 2: [] };
  const notices: string[] = [];
  const input = new TextEncoder().encode(options.input ?? "");
  const machine = new Machine({
    host: new RealFiles(),
    workingDirectory: pathFromText(process.cwd()),
    streams: {
      terminals: [false, false, false],
      readInput: (offset, length) => input.slice(offset, offset + length),
      writeOutput: (stream, offset, bytes) => written[stream].push({ offset, bytes: bytes.slice() }),
    },
    hooks: { notice: (line) => notices.push(line) },
    ...options,
  });
  const environment = options.environment ?? ["PATH=/usr/bin:/bin", "LANG=C.UTF-8", "LC_ALL=C.UTF-8"];
  machine.load(pathFromText(command[0]!), command.map(pathFromText), environment.map(pathFromText));
  const output = (stream: 1 | 2): string => {
    // A restored guest writes some of its output again: later writes at an offset replace earlier ones.
    let text: number[] = [];
    for (const { offset, bytes } of written[stream]) text = [...text.slice(0, offset), ...bytes];
    return new TextDecoder().decode(new Uint8Array(text));
  };
  return { machine, output, notices };
}

export interface Finished {
  readonly outcome: Outcome;
  readonly stdout: string;
  readonly stderr: string;
  readonly instructions: number;
  readonly digest: string;
}

/** Runs a guest to its end. */
export function finish({ machine, output }: Guest): Finished {
  const result = machine.run();
  if (result.kind !== "ended") throw new Error(`the guest stopped early: ${result.kind}`);
  return {
    outcome: result.outcome,
    stdout: output(1),
    stderr: output(2),
    instructions: machine.instructions,
    digest: machine.digest(),
  };
}
