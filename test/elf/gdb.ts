/** What gdb says about a program's variables while it steps through it: the twin of our own reading. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";

export interface GdbVariable {
  readonly name: string;
  readonly argument: boolean;
  /** Optimised out. */
  readonly lost?: true;
  readonly error?: string;
  readonly size?: number;
  readonly address?: string;
  /** Of a number or pointer, cut to its size. */
  readonly value?: string;
}

export interface GdbFrame {
  /** By DWARF number; 16 is the address of its code. Only those gdb knows. */
  readonly registers: Readonly<Record<string, string>>;
  /** Innermost scope first, those of inlined functions before those they were inlined into. */
  readonly variables: readonly GdbVariable[];
  /** It has debug information. */
  readonly known: boolean;
}

export interface GdbSample {
  readonly frames: readonly GdbFrame[];
  /** The stack and the program's variables, in hexadecimal. */
  readonly memory: readonly { readonly start: string; readonly bytes: string }[];
}

export interface GdbSamples {
  /** The address of `main` in the running program. */
  readonly main: string;
  readonly samples: readonly GdbSample[];
}

const script = join(import.meta.dirname, "gdb-variables.py");

export interface Sampling {
  /** So many samples at most. */
  readonly steps: number;
  /** At every so many-th instruction of the program's own. */
  readonly stride: number;
  /** Where the program's variables begin, counted from `main`, and their size. */
  readonly data_offset: number;
  readonly data_size: number;
}

export function sampleWithGdb(program: string, sampling: Sampling): GdbSamples {
  const settings = Object.entries(sampling).map(([name, value]) => `set $${name} = ${value}`);
  const args = ["-nx", "-batch", ...[...settings, `source ${script}`].flatMap((line) => ["-ex", line]), program];
  const output = execFileSync("gdb", args, {
    encoding: "utf8",
    maxBuffer: 2 ** 30,
    env: { PATH: "/usr/bin:/bin", LC_ALL: "C" },
    stdio: ["ignore", "pipe", "pipe"],
  });
  const line = output.split("\n").find((one) => one.startsWith("SAMPLES"));
  if (line === undefined) throw new Error(`gdb printed no samples: ${output.slice(-500)}`);
  return JSON.parse(line.slice("SAMPLES".length));
}
