/** `blackout check` on libpmemobj pools: what a pool's size costs, how much memory a check takes, recoveries a second. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { compileGuest } from "../test/support/programs.ts";
import { table } from "./figures.ts";
import { figure } from "./history.ts";
import { environment } from "./measure.ts";

const blackout = resolve(import.meta.dirname, "../dist/blackout.mjs");

interface Stats {
  readonly tested: number;
  readonly seconds: { readonly judging: number; readonly cpu: number };
  readonly peakBytes: number;
}

const MiB = 2 ** 20;
const [small, large] = [16, 1024];
/** Recoveries that are run, none answered for by the memo. */
const recoveries = 1_000;

function check(mib: number, operations: number, ...options: readonly string[]): Stats {
  const program = compileGuest("pmemobj/sized.c", ["-O2", "-g", "-lpmemobj"]);
  const directory = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  try {
    const commands = ["--setup", `${program} pool make ${mib}`, "--recover", `${program} pool check`];
    const common = [
      "check",
      "--no-rules",
      "--no-explore",
      "--no-journal",
      "--stats",
      "--env",
      "PMEM_IS_PMEM_FORCE=1",
      ...commands,
    ];
    const args = [blackout, ...common, ...options, "--", program, "pool", "put", String(operations)];
    const { status, stderr } = spawnSync("node", args, { cwd: directory, encoding: "utf8", env: environment });
    if (status !== 0 && status !== 3) throw new Error(`check of a pool of ${mib} MiB exited with ${status}: ${stderr}`);
    return JSON.parse(stderr.trim().split("\n").at(-1)!) as Stats;
  } finally {
    rmSync(directory, { recursive: true });
  }
}

export async function poolsBench(): Promise<string> {
  if (!existsSync("/usr/include/libpmemobj.h")) return "## Pools of libpmemobj\n\nlibpmemobj is not installed here.";
  const [few, many] = [check(small, 60, "-j", "1"), check(large, 60, "-j", "1")];
  const peaks = [1, 2].map((jobs) => check(small, 100, "-j", String(jobs)).peakBytes / 1e6);
  const runs = check(small, 60, "-j", "1", "--no-memo", "--max-states", String(recoveries));
  const rows = [
    [
      "60 operations, 1 GiB against 16 MiB",
      figure("pools: CPU", many.seconds.cpu / few.seconds.cpu, "×", { most: 1.2 }),
    ],
    ["the same, memory more", figure("pools: memory", (many.peakBytes - few.peakBytes) / MiB, "MiB", { most: 100 })],
    ["100 operations, one worker: peak", figure("pools: peak, one", peaks[0]!, "MB", { most: 500 })],
    ["100 operations, two workers: peak", figure("pools: peak, two", peaks[1]!, "MB", { most: 700 })],
    [
      `recoveries a second, ${recoveries} of them, no memo`,
      figure("pools: recoveries", runs.tested / runs.seconds.judging, "/s", { least: 200 }),
    ],
  ];
  return ["## Pools of libpmemobj", "", table(["what", "figure"], rows)].join("\n");
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href)
  process.stdout.write(`${await poolsBench()}\n`);
