/**
 * The machine's speed, as ratios of CPU time to the same binaries run natively and under valgrind, in one run.
 * Steady state: the difference between two runs that are both long, so that starting up and compiling cancel out.
 */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { tuneEngine } from "../src/host/index.ts";
import { GuestMemory } from "../src/machine/memory/index.ts";
import { compileGuest, loadGuest } from "../test/support/programs.ts";
import { geometricMean, median, table } from "./figures.ts";
import { figure } from "./history.ts";
import { coldAndUsualCpu, cpuSecondsOf } from "./measure.ts";

tuneEngine();
const runs = 5;
const blackout = ["node", resolve(import.meta.dirname, "../dist/blackout.mjs"), "run", "--"];
const valgrind = ["valgrind", "--tool=none", "-q"];

interface Program {
  readonly name: string;
  command(rounds: number): readonly string[];
  /** What it reads. */
  input?(rounds: number): string;
  /** Rounds that take about half a second natively. */
  readonly rounds: number;
  /** Rounds after which everything that is hot has been compiled. */
  readonly warm: number;
}

const compiled = (name: string, rounds: number): Program => {
  const program = compileGuest(`bench/${name}.c`);
  return { name, rounds, warm: Math.ceil(rounds / 2), command: (count) => [program, String(count)] };
};

const statements = `create table t(a integer primary key, b text, c integer);
  with recursive n(i) as (select 1 union all select i + 1 from n where i < 10000)
    insert into t select i, 'row ' || (i * 7919 % 10007), i * 31 % 997 from n;
  create index by_c on t(c);
  select count(*), sum(length(b)) from t where c between 100 and 300;
  select sum(x.a * y.c) from t x join t y on x.a = y.c where x.a < 500;
  drop table t;`;

const sqlite = (rounds: number, warm: number): Program => ({
  name: "sqlite3",
  rounds,
  warm,
  command: () => ["/usr/bin/sqlite3", ":memory:"],
  input: (count) => statements.repeat(count),
});

const suite = (): readonly Program[] => [
  compiled("sieve", 250),
  compiled("hash", 150),
  compiled("digest", 140),
  compiled("tree", 20),
  compiled("quicksort", 80),
  compiled("strings", 1200),
  compiled("matrix", 350),
  compiled("lists", 400),
  ...(existsSync("/usr/bin/sqlite3") ? [sqlite(60, 200)] : []),
];

/** Native runs are short, so there are more rounds of them to measure. */
const nativeFactor = 4;

/** Seconds for the program's rounds once it is warm: starting up and compiling are in both runs. */
function steady(prefix: readonly string[], program: Program, factor = 1): number {
  const seconds = (rounds: number) =>
    cpuSecondsOf([...prefix, ...program.command(rounds)], { input: program.input?.(rounds) ?? "" });
  return (seconds(program.warm + factor * program.rounds) - seconds(program.warm)) / factor;
}

/** All take turns, and each is compared with its neighbours, because a computer's speed changes while others use it. */
function ratiosOf(program: Program): { readonly name: string; native: number; ours: number; theirs: number } {
  const turns = Array.from({ length: runs }, () => {
    const before = steady([], program, nativeFactor);
    const ours = steady(blackout, program);
    const between = steady([], program, nativeFactor);
    const theirs = steady(valgrind, program);
    const native = (before + between) / 2;
    return { native, ours: ours / native, theirs: theirs / native };
  });
  const middle = (pick: (turn: (typeof turns)[number]) => number) => median(turns.map(pick));
  return {
    name: program.name,
    native: middle(({ native }) => native),
    ours: middle(({ ours }) => ours),
    theirs: middle(({ theirs }) => theirs),
  };
}

function steadyStates(): string {
  const ratios = suite().map((program) => {
    const row = ratiosOf(program);
    const { name, native, ours, theirs } = row;
    console.error(
      `${name}: native ${native.toFixed(2)} s, blackout ${ours.toFixed(2)}×, valgrind ${theirs.toFixed(2)}×`,
    );
    return row;
  });
  const mean = (pick: (row: (typeof ratios)[number]) => number) => geometricMean(ratios.map(pick));
  const rows = ratios.map(({ name, native, ours, theirs }) => [
    name,
    native.toFixed(2),
    figure(`${name}, steady`, ours, "", { most: 6 }),
    theirs.toFixed(2),
  ]);
  const ours = figure(
    "geometric mean, steady",
    mean((row) => row.ours),
    "",
    { most: 2.5 },
  );
  return table(
    ["program", "native, s", "Blackout, × native", "valgrind --tool=none, × native"],
    [...rows, ["**geometric mean**", "", ours, mean((row) => row.theirs).toFixed(2)]],
  );
}

/** From a snapshot at main to the end, again and again in one process. */
function fromSnapshot(program: string): number {
  const { machine } = loadGuest([program]);
  const main = machine.symbol("main");
  if (main === undefined) throw new Error(`${program} has no symbol main`);
  machine.stopAt([main]);
  machine.run();
  machine.stopAt([]);
  const snapshot = machine.snapshot();
  const times: number[] = [];
  for (let i = 0; i < 50; i++) {
    const before = process.cpuUsage();
    machine.restore(snapshot);
    machine.run();
    const { user, system } = process.cpuUsage(before);
    times.push((user + system) / 1000);
  }
  return median(times.slice(10));
}

/** Scattered stores to so many pages of a 256 MiB process, then restore: milliseconds. */
function restoreTime(pages: number): number {
  const memory = new GuestMemory();
  const start = 0x2000_0000;
  memory.map(start, 256 << 20, 3);
  for (let at = start; at < start + (256 << 20); at += 4096) memory.load(at, new Uint8Array([1]));
  const snapshot = memory.snapshot();
  const times: number[] = [];
  for (let round = 0; round < 30; round++) {
    for (let i = 0; i < pages; i++) memory.load(start + ((i * 7919) % 65536) * 4096, new Uint8Array([round]));
    const before = process.hrtime.bigint();
    memory.restore(snapshot);
    times.push(Number(process.hrtime.bigint() - before) / 1e6);
  }
  return median(times.slice(5));
}

export async function machineBench(): Promise<string> {
  const hello = compileGuest("bench/hello.c", ["-O2", "-no-pie"]);
  const [cold, usual] = coldAndUsualCpu(7, [...blackout, hello]);
  const rows = [
    ["dynamic hello world, run for the first time, whole process", figure("hello cold", cold, "s of CPU")],
    ["dynamic hello world, run again, whole process", figure("hello warm", usual, "s of CPU")],
    ["the same from a snapshot at `main`", figure("hello from a snapshot", fromSnapshot(hello), "ms of CPU")],
    ["restore of 2048 scattered dirty pages in 256 MiB", figure("restore of 2048 pages", restoreTime(2048), "ms")],
  ];
  return `## The machine\n\n${steadyStates()}\n\n${table(["what", "median"], rows)}\n`;
}

if (process.argv[1] === import.meta.filename) console.log(await machineBench());
