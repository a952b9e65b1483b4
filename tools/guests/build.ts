/** Compiles guest programs into guests/build, once for each content and set of flags. */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync } from "node:fs";
import { extname, join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const output = join(root, "guests/build");

type CommandLine = (source: string, program: string, flags: readonly string[]) => readonly [string, readonly string[]];

const linked =
  (compiler: string): CommandLine =>
  (source, program, flags) => {
    const libraries = flags.filter((flag) => flag.startsWith("-l"));
    const others = flags.filter((flag) => !flag.startsWith("-l"));
    return [compiler, ["-march=x86-64-v2", "-w", ...others, "-o", program, source, ...libraries]];
  };

const compilers: Readonly<Record<string, CommandLine>> = {
  ".c": linked("gcc"),
  ".cpp": linked("g++"),
  ".rs": (source, program, flags) => ["rustc", ["-O", "-C", "target-cpu=x86-64-v2", ...flags, "-o", program, source]],
};

/** Compiles a source below guests/ and returns the path of the program. */
export function buildGuest(name: string, flags: readonly string[] = ["-O2"]): string {
  const source = join(root, "guests", name);
  const key = createHash("sha256").update(readFileSync(source)).update(flags.join("\0")).digest("hex").slice(0, 12);
  const program = join(output, `${name.replaceAll("/", "-").replace(/\.\w+$/, "")}-${key}`);
  if (existsSync(program)) return program;
  mkdirSync(output, { recursive: true });
  // Two runs may compile the same program at once: each finishes its own file before it gets the name.
  const partial = `${program}.${process.pid}`;
  const [compiler, args] = compilers[extname(name)]!(source, partial, flags);
  execFileSync(compiler, [...args], { cwd: output, stdio: ["ignore", "ignore", "pipe"] });
  renameSync(partial, program);
  return program;
}

/** Whether what a row needs is there: a file, or a command along PATH. */
export const isPresent = (need: string): boolean =>
  need.startsWith("/") ? existsSync(need) : spawnSync(need, ["--version"], { stdio: "ignore" }).status === 0;
