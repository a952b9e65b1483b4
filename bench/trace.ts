/**
 * Tracing with the rules on, as ratios of CPU time to the same program run natively, where its flushes are real, and to
 * pmemcheck where that is installed; the time of a program that does little; and the memory that long traces take.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileGuest } from "../test/support/programs.ts";
import { median, table } from "./figures.ts";
import { figure } from "./history.ts";
import { coldAndUsualCpu, cpuSecondsOf, environment } from "./measure.ts";

const runs = 5;
const stores = 10_000_000;
const command = resolve(import.meta.dirname, "../dist/blackout.mjs");
const tracing = ["node", command, "trace", "--report", "/dev/null", "--"];
const pmemcheck = [process.env.PMEMCHECK ?? "valgrind", "--tool=pmemcheck", "-q"];
const hasPmemcheck = (): boolean => spawnSync(pmemcheck[0]!, ["--tool=pmemcheck", "true"]).status === 0;

/** The guest's own: nothing of it reaches the disk. */
const guestPool = "/tmp/blackout-bench-pool";

const medianOf = (measure: () => number): number => median(Array.from({ length: runs }, measure));
const seconds = (value: number): string => `${value.toFixed(2)} s`;

/** Native and traced runs take turns, so that a busy computer slows both. The program has been traced once before. */
function manyStores(folder: string): readonly (readonly string[])[] {
  const program = compileGuest("bench/stores.c");
  const native: number[] = [];
  const whole: number[] = [];
  const start: number[] = [];
  cpuSecondsOf([...tracing, program, guestPool, "8"]);
  for (let run = 0; run < runs; run++) {
    native.push(cpuSecondsOf([program, join(folder, "pool"), String(stores)]));
    whole.push(cpuSecondsOf([...tracing, program, guestPool, String(stores)]));
    start.push(cpuSecondsOf([...tracing, program, guestPool, "8"]));
  }
  const steady = median(whole) - median(start);
  const what = `${stores / 1e6} M stores, a flush and a fence every 8`;
  return [
    [`${what}: native`, seconds(median(native))],
    [
      `${what}: traced, whole process`,
      figure("stores traced", median(whole) / median(native), "× native", { most: 3.5 }),
    ],
    [`${what}: traced, without the start`, figure("stores traced, steady", steady / median(native), "× native")],
    [`${what}: against pmemcheck`, againstPmemcheck(program, folder, median(whole))],
  ];
}

function againstPmemcheck(program: string, folder: string, ours: number): string {
  if (!hasPmemcheck()) return "pmemcheck is not installed here";
  const theirs = medianOf(() => cpuSecondsOf([...pmemcheck, program, join(folder, "pool"), String(stores)]));
  return figure("stores traced, pmemcheck's time", ours / theirs, "of its time", { most: 0.25 });
}

function littleProgram(): readonly (readonly string[])[] {
  if (!existsSync("/usr/include/libpmemobj.h")) return [];
  const program = compileGuest("bench/pool.c", ["-O2", "-lpmemobj"]);
  const [cold, usual] = coldAndUsualCpu(runs, [...tracing, program, guestPool]);
  const what = "libpmemobj: a pool created, four values stored";
  return [
    [`${what}: traced for the first time`, figure("pool traced, cold", cold, "s", { most: 1 })],
    [`${what}: traced again`, figure("pool traced, warm", usual, "s", { most: 1 })],
  ];
}

/** Told by the traced process itself when it ends. */
const tellPeak = 'data:text/javascript,process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';

function peakMegabytes(program: string, count: number): number {
  const args = ["--import", tellPeak, ...tracing.slice(1), program, guestPool, String(count)];
  const { stderr, status } = spawnSync("node", args, { encoding: "utf8", env: environment });
  if (status !== 0) throw new Error(`the traced program failed: ${stderr}`);
  return Math.round(Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024);
}

export async function traceBench(): Promise<string> {
  const folder = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "blackout-bench-"));
  try {
    const program = compileGuest("bench/stores.c");
    const peaks = [1e6, 100e6].map((count) => peakMegabytes(program, count));
    const rows = [
      ...manyStores(folder),
      ...littleProgram(),
      ["peak memory, 1 M stores", `${peaks[0]} MiB`],
      ["peak memory, 100 M stores", figure("stores traced, peak", peaks[1]!, "MiB", { most: 1.1 * peaks[0]! })],
    ];
    return `## Tracing\n\n${table(["what", "median"], rows)}\n`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(await traceBench());
