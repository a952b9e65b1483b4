/**
 * What users run: programs on libpmemobj (guests/bench/obj), whole processes in CPU time, natively, under valgrind, under
 * pmemcheck where PMEMCHECK names a valgrind that has it, and in the machine, with translations kept from earlier runs
 * (warm) and without (cold).
 */
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { compileGuest } from "../test/support/programs.ts";
import { median, table } from "./figures.ts";
import { type Bound, figure } from "./history.ts";
import { cpuSecondsOf, environment } from "./measure.ts";

const command = resolve(import.meta.dirname, "../dist/blackout.mjs");
const force = "PMEM_IS_PMEM_FORCE=1";
const programs = ["btree", "hash", "list", "alloc"] as const;
const sizes = [2_000, 20_000] as const;
const off = { BLACKOUT_CACHE: "off" };

const pmemcheck = process.env.PMEMCHECK;

/** Ways to run a program, in the order in which they take turns. */
const ways = {
  native: { prefix: [] },
  none: { prefix: ["valgrind", "--tool=none", "-q"] },
  run: { prefix: ["node", command, "run", "--env", force, "--"] },
  "run cold": { prefix: ["node", command, "run", "--env", force, "--"], more: off },
  ...(pmemcheck === undefined ? {} : { pmemcheck: { prefix: [pmemcheck, "--tool=pmemcheck", "-q"] } }),
  trace: { prefix: ["node", command, "trace", "--report", "/dev/null", "--env", force, "--"] },
  "trace cold": {
    prefix: ["node", command, "trace", "--report", "/dev/null", "--env", force, "--"],
    more: off,
  },
} as const satisfies Record<string, { prefix: readonly string[]; more?: NodeJS.ProcessEnv }>;
type Way = "native" | "none" | "run" | "run cold" | "pmemcheck" | "trace" | "trace cold";

interface Limit {
  readonly of: Way;
  /** None where there is only something to reach one day. */
  readonly times: Partial<Record<(typeof sizes)[number], number>>;
  readonly goal: Record<(typeof sizes)[number], number>;
}

/** What each way may take at most, and is to take one day, as a multiple of another way. */
const bounds: Partial<Record<Way, Limit>> = {
  run: { of: "none", times: { 20000: 2 }, goal: { 2000: 1.2, 20000: 1.2 } },
  "run cold": { of: "none", times: {}, goal: { 2000: 2, 20000: 2 } },
  trace: { of: "pmemcheck", times: { 20000: 1 }, goal: { 2000: 1, 20000: 0.5 } },
  "trace cold": { of: "pmemcheck", times: { 20000: 2 }, goal: { 2000: 2, 20000: 1 } },
};

interface Subject {
  readonly name: string;
  readonly program: string;
  readonly operations: (typeof sizes)[number];
  /** The pool each run begins with; undefined: it makes its own. */
  readonly ready: string | undefined;
  readonly turns: number;
}

/** Seconds by way; a turn is one run of each, and all see the same pool. */
function measure({ program, operations, ready, turns }: Subject, folder: string): Partial<Record<Way, number>> {
  const pool = join(folder, "pool");
  const seconds = new Map<Way, number[]>();
  const once = (way: Way): number => {
    rmSync(pool, { force: true });
    if (ready !== undefined) copyFileSync(ready, pool);
    const { prefix, more } = ways[way as keyof typeof ways] as {
      prefix: readonly string[];
      more?: NodeJS.ProcessEnv;
    };
    const env = { ...environment, PMEM_IS_PMEM_FORCE: "1", ...more };
    return cpuSecondsOf([...prefix, program, pool, String(operations)], { env });
  };
  // A first run compiles little, a second one what later runs begin with.
  for (const way of ["run", "run", "trace", "trace"] as const) once(way);
  for (let turn = 0; turn < turns; turn++)
    for (const way of Object.keys(ways) as Way[]) seconds.set(way, [...(seconds.get(way) ?? []), once(way)]);
  return Object.fromEntries([...seconds].map(([way, values]) => [way, median(values)]));
}

function boundOf({ times, goal }: Limit, { operations }: Subject, other: number): Bound {
  const most = times[operations];
  return { ...(most !== undefined && { most: most * other }), goal: goal[operations] * other };
}

function cells(subject: Subject, folder: string): string[] {
  const seconds = measure(subject, folder);
  const cellsOfWays = (Object.keys(ways) as Way[]).map((way) => {
    const limit = bounds[way];
    const other = limit && seconds[limit.of];
    const bound = limit && other !== undefined ? boundOf(limit, subject, other) : {};
    return figure(`${subject.name}: ${way}`, seconds[way]!, "s", bound);
  });
  return [subject.name, ...cellsOfWays];
}

function subjects(folder: string): readonly Subject[] {
  return programs.flatMap((name) => {
    const program = compileGuest(`bench/obj/${name}.c`, ["-O2", "-lpmemobj"]);
    const ready = join(folder, `${name}.ready`);
    cpuSecondsOf([program, ready, "0"], { env: { ...environment, PMEM_IS_PMEM_FORCE: "1" } });
    return sizes.flatMap((operations): Subject[] => [
      { name: `${name}, ${operations}`, program, operations, ready, turns: 3 },
      { name: `${name}, ${operations}, pool created`, program, operations, ready: undefined, turns: 1 },
    ]);
  });
}

function pmemcheckVersion(): string {
  if (pmemcheck === undefined) return "pmemcheck is left out: PMEMCHECK names no valgrind that has it.";
  return `pmemcheck of ${spawnSync(pmemcheck, ["--version"], { encoding: "utf8" }).stdout.trim()}.`;
}

export async function pmemobjBench(): Promise<string> {
  if (!existsSync("/usr/include/libpmemobj.h")) return "## Programs on libpmemobj\n\nlibpmemobj is not installed here.";
  const folder = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  try {
    const rows = subjects(folder).map((subject) => {
      const row = cells(subject, folder);
      console.error(row.join(" · "));
      return row;
    });
    const head = ["program, operations", ...Object.keys(ways)];
    return `## Programs on libpmemobj\n\nSeconds of CPU, whole processes. ${pmemcheckVersion()}\n\n${table(head, rows)}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === import.meta.filename) console.log(await pmemobjBench());
