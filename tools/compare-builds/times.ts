/** CPU time of `check` and `trace` by two builds that take turns, so that a busy computer slows both. */

import { median, table } from "../../bench/figures.ts";
import { cpuSecondsOf } from "../../bench/measure.ts";
import { compileGuest } from "../../test/support/programs.ts";
import type { Build } from "./reports.ts";

const rounds = 5;

interface Workload {
  readonly name: string;
  words(): readonly string[];
}

const pool = "/tmp/blackout-compare-pool";

const workloads: readonly Workload[] = [
  {
    name: "check, B-tree, 150000 operations",
    words: () => {
      const program = compileGuest("bench/check-btree.c", ["-O1", "-g", "-static"]);
      const quiet = ["--no-rules", "--no-journal", "-j", "1", "--report", "/dev/null"];
      return ["check", ...quiet, "--recover", `${program} ${pool}`, "--", program, pool, "150000"];
    },
  },
  {
    name: "check, B-tree, 20000 states of 2000 operations",
    words: () => {
      const program = compileGuest("bench/check-btree.c", ["-O1", "-g", "-static"]);
      const quiet = ["--no-journal", "-j", "1", "--report", "/dev/null", "--all-points", "--max-states", "20000"];
      return ["check", ...quiet, "--recover", `${program} ${pool}`, "--", program, pool, "2000"];
    },
  },
  {
    name: "trace, 50 M stores",
    words: () => ["trace", "--report", "/dev/null", "--", compileGuest("bench/stores.c"), pool, "50000000"],
  },
];

/** A table of the medians; a positive change means that the second build is slower. */
export function compareTimes(builds: readonly [old: Build, fresh: Build]): string {
  const rows = workloads.map(({ name, words }) => {
    const seconds: [number[], number[]] = [[], []];
    const measure = (index: 0 | 1) =>
      cpuSecondsOf(builds[index].command(words()), { accepts: [0, 1, 3], env: builds[index].environment });
    measure(0);
    measure(1);
    for (let round = 0; round < rounds; round++)
      for (const index of [0, 1] as const) seconds[index].push(measure(index));
    const [old, fresh] = seconds.map(median) as [number, number];
    return [name, `${old.toFixed(2)} s`, `${fresh.toFixed(2)} s`, `${((fresh / old - 1) * 100).toFixed(1)} %`];
  });
  return table(["CPU time, median of five", "old", "new", "change"], rows);
}
