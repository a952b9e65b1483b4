/**
 * What `blackout check` costs against an earlier build, where EARLIER names its dist folder: its own crash states, as the earlier build
 * had no others, and for comparison with all that a check does since, exploration and fixes.
 */
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { objectGuest } from "../test/check/seeded-obj.ts";
import { compileGuest } from "../test/support/programs.ts";
import { median, table } from "./figures.ts";
import { figure } from "./history.ts";
import { cpuSecondsOf, environment } from "./measure.ts";

const dist = { now: resolve(import.meta.dirname, "../dist"), earlier: process.env.EARLIER } as const;
const turns = 2;
/** What an earlier build does not do. */
const ownStates = ["--no-explore", "--no-fix"] as const;

/** Guests on libpmemobj, each with one of its mistakes. */
// biome-ignore format: columns stay aligned
const objectGuests = [
  ["array",    "MISSING_ADD"],
  ["list",     "NON_ATOMIC"],
  ["queue",    "MISSING_ADD"],
  ["map",      "MISSING_ADD"],
  ["tree",     "NON_ATOMIC"],
  ["ring",     "MISSING_PERSIST"],
  ["accounts", "MISSING_ADD"],
  ["alloc",    "MISSING_PERSIST"],
] as const;

/** CPU seconds of a check by one worker in a folder of its own, by a build that has its own translations. */
function secondsOf(build: string, name: string, options: readonly string[], words: readonly string[]): number {
  const folder = mkdtempSync(join(tmpdir(), "blackout-bench-"));
  const cache = join(environment.BLACKOUT_CACHE!, name);
  const command = ["node", join(build, "blackout.mjs"), "check", "--no-journal", "-j", "1", ...options, ...words];
  try {
    const env = { ...environment, BLACKOUT_CACHE: cache };
    return cpuSecondsOf(["env", "-C", folder, ...command], { accepts: [0, 1, 3], env });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

interface Compared {
  readonly earlier: number;
  readonly own: number;
  readonly all: number;
}

/** Builds take turns, for a computer's speed changes while others use it. */
function compared(earlier: string, words: readonly string[]): Compared {
  const runs = Array.from({ length: turns }, () => ({
    earlier: secondsOf(earlier, "earlier", [], words),
    own: secondsOf(dist.now, "now", ownStates, words),
  }));
  const middle = (which: "earlier" | "own") => median(runs.map((run) => run[which]));
  return { earlier: middle("earlier"), own: middle("own"), all: secondsOf(dist.now, "now", [], words) };
}

const rowOf = (name: string, { earlier, own, all }: Compared, most: number): string[] => [
  name,
  `${earlier.toFixed(2)} s`,
  figure(`${name}: against an earlier build`, own / earlier, "×", { most }),
  figure(`${name}: against an earlier build, with all`, all / earlier, "×"),
];

export async function earlierBench(): Promise<string> {
  const title = "## Checks against an earlier build";
  const { earlier } = dist;
  if (earlier === undefined) return `${title}\n\nLeft out: EARLIER names no dist folder.`;
  const tree = compileGuest("bench/check-btree.c", ["-O1", "-g", "-static"]);
  const ofTree = (operations: number, ...options: readonly string[]) =>
    compared(earlier, [...options, "--recover", `${tree} pool`, "--", tree, "pool", String(operations)]);
  const objects = existsSync("/usr/include/libpmemobj.h") ? objectGuests : [];
  const rows = [
    rowOf("B-tree, 150000 operations", ofTree(150_000), 2),
    rowOf("B-tree, 20000 states of every point", ofTree(30_000, "--all-points", "--max-states", "20000"), 1.3),
    ...objects.map(([guest, mistake]) => {
      const program = objectGuest(guest, mistake);
      const commands = ["--setup", `${program} create pool`, "--recover", `${program} check pool`];
      return rowOf(
        `${guest} ${mistake}, libpmemobj`,
        compared(earlier, [...commands, "--", program, "run", "pool"]),
        3,
      );
    }),
  ];
  return `${title}\n\n${table(["check", "earlier", "its own crash states", "with exploration and fixes"], rows)}`;
}
