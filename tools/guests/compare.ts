/** Runs a row natively and in the machine, each in its own directory, and says where they differ. */
import { type SpawnSyncReturns, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { constants, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { buildGuest, isPresent } from "./build.ts";
import type { Row, Step } from "./rows.ts";

const blackout = resolve(import.meta.dirname, "../../dist/blackout.mjs");
const limits = { timeout: 600_000, maxBuffer: 2 ** 28 };
/** What the machine gives every guest. */
const environment = {
  PATH: "/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin",
  HOME: "/tmp",
  LANG: "C.UTF-8",
  LC_ALL: "C.UTF-8",
};
const fixedTime = 1_600_000_000;

export interface Side {
  readonly outputs: readonly { readonly stdout: Buffer; readonly stderr: string; readonly code: number }[];
  /** Path to a description of the entry, with its contents. */
  readonly files: ReadonlyMap<string, string>;
  readonly seconds: number;
}

export type Verdict =
  | { readonly kind: "same"; readonly native: Side; readonly machine: Side }
  | {
      readonly kind: "different";
      readonly native: Side;
      readonly machine: Side;
      readonly differences: readonly string[];
    }
  | { readonly kind: "left out"; readonly missing: string };

type Runner = (command: readonly string[], directory: string, input: Buffer) => SpawnSyncReturns<Buffer>;

const runNatively: Runner = ([program, ...args], cwd, input) =>
  spawnSync(program!, args, { cwd, input, env: environment, ...limits });

export const runInMachine =
  (row: Pick<Row, "writes">, options: readonly string[]): Runner =>
  (command, cwd, input) => {
    const grants = row.writes === "overlay" ? [] : ["--rw", cwd];
    const args = ["--no-warnings", blackout, "run", ...options, ...grants, "--", ...command];
    return spawnSync(process.execPath, args, {
      cwd,
      input,
      env: {
        ...environment,
        PATH: process.env["PATH"],
        BLACKOUT_CACHE: process.env["BLACKOUT_CACHE"] ?? "off",
        BLACKOUT_VERIFY: "on",
      },
      ...limits,
    });
  };

function prepare(row: Row): string {
  const directory = mkdtempSync(join(tmpdir(), "blackout-guest-"));
  for (const [name, contents] of Object.entries(row.files ?? {})) {
    const path = join(directory, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, contents);
    utimesSync(path, fixedTime, fixedTime);
  }
  for (const path of walk(directory)) if (lstatSync(path).isDirectory()) utimesSync(path, fixedTime, fixedTime);
  return directory;
}

function walk(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true }).flatMap((entry) => {
    const path = join(directory, entry.name);
    return entry.isDirectory() ? [...walk(path), path] : [path];
  });
}

function describeFiles(directory: string, compare: Row["compareFiles"]): Map<string, string> {
  const found = new Map<string, string>();
  for (const path of walk(directory)) {
    const stat = lstatSync(path);
    const mode = (stat.mode & 0o777).toString(8);
    const contents = stat.isSymbolicLink()
      ? `link to ${readlinkSync(path)}`
      : stat.isDirectory()
        ? "directory"
        : `${mode} ${stat.size} bytes ${compare === "sizes" ? "" : readFileSync(path, "latin1")}`;
    found.set(path.slice(directory.length + 1), contents);
  }
  return found;
}

function runSteps(row: Row, program: string, directory: string, run: Runner): Side["outputs"] {
  let previous: Buffer = Buffer.alloc(0);
  return row.steps.map(({ command, input }: Step) => {
    const words = command.map((word) => word.replace("{program}", program));
    const stdin = input === "previous" ? previous : Buffer.from(input ?? "");
    const { stdout, stderr, status, signal, error } = run(words, directory, stdin);
    previous = stdout ?? Buffer.alloc(0);
    const code = status ?? (signal ? 128 + constants.signals[signal] : -1);
    return { stdout: previous, stderr: `${stderr ?? ""}${error ? `\n${error.message}` : ""}`, code };
  });
}

function runSide(row: Row, program: string, run: Runner): Side {
  const directory = prepare(row);
  const before = process.hrtime.bigint();
  try {
    const outputs = runSteps(row, program, directory, run);
    const seconds = Number(process.hrtime.bigint() - before) / 1e9;
    return { outputs, seconds, files: describeFiles(directory, row.compareFiles) };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const firstDifference = (left: string, right: string): string => {
  const [lefts, rights] = [left.split("\n"), right.split("\n")];
  const at = lefts.findIndex((line, index) => line !== rights[index]);
  const index = at < 0 ? lefts.length : at;
  const show = (line: string | undefined) => (line === undefined ? "(nothing)" : JSON.stringify(line.slice(0, 200)));
  return `line ${index + 1}: ${show(lefts[index])} natively, ${show(rights[index])} in the machine`;
};

const withoutIgnored = (text: Buffer, ignore: RegExp | undefined): string =>
  text
    .toString("latin1")
    .split("\n")
    .filter((line) => !ignore?.test(line))
    .join("\n");

function compareOutputs(row: Row, native: Side, machine: Side): string[] {
  return row.steps.flatMap(({ command }, index) => {
    const [left, right] = [native.outputs[index]!, machine.outputs[index]!];
    const [leftText, rightText] = [withoutIgnored(left.stdout, row.ignore), withoutIgnored(right.stdout, row.ignore)];
    const said = right.stderr === left.stderr ? "" : `; stderr: ${right.stderr.trim().slice(0, 400)}`;
    const name = `step ${index + 1} (${command[0]!.split("/").at(-1)})`;
    return [
      ...(left.code === right.code
        ? []
        : [`${name}: exit code ${left.code} natively, ${right.code} in the machine${said}`]),
      ...(leftText === rightText ? [] : [`${name}: stdout ${firstDifference(leftText, rightText)}${said}`]),
    ];
  });
}

function compareFiles(expected: ReadonlyMap<string, string>, machine: Side): string[] {
  const names = [...new Set([...expected.keys(), ...machine.files.keys()])];
  return names.flatMap((name) => {
    const [left, right] = [expected.get(name), machine.files.get(name)];
    return left === right ? [] : [`file ${name}: ${firstDifference(left ?? "(missing)", right ?? "(missing)")}`];
  });
}

/** What the host's directory must look like afterwards: as after the native run, or untouched. */
function expectedFiles(row: Row, native: Side): ReadonlyMap<string, string> {
  if (row.writes !== "overlay") return native.files;
  const directory = prepare(row);
  try {
    return describeFiles(directory, row.compareFiles);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Natively and in the machine, with the options for `blackout run` given. */
export function compareRow(row: Row, options: readonly string[]): Verdict {
  const needed = [row.needs, ...row.steps.map(({ command }) => command[0]!).filter((word) => word.startsWith("/"))];
  const missing = needed.find((need) => need !== undefined && !isPresent(need));
  if (missing !== undefined) return { kind: "left out", missing };
  const program = row.source === undefined ? "" : buildGuest(`programs/${row.source}`, row.flags);
  const native = runSide(row, program, runNatively);
  const machine = runSide(row, program, runInMachine(row, options));
  const differences = [...compareOutputs(row, native, machine), ...compareFiles(expectedFiles(row, native), machine)];
  return differences.length === 0
    ? { kind: "same", native, machine }
    : { kind: "different", native, machine, differences };
}
