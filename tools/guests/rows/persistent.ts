/** Persistent memory as it is: PMDK's libraries and tool on pools in files. */
import type { Row } from "../rows.ts";

const tool = "/usr/bin/pmempool";
const header = "/usr/include/libpmem.h";
const identifiers = /UUID|Creation Time|Checksum|Run ID|run_id|Modification|shutdown/i;

export const persistentRows: readonly Row[] = [
  {
    name: "pmempool",
    needs: tool,
    compareFiles: "sizes",
    ignore: identifiers,
    steps: [
      { command: [tool, "create", "obj", "--layout=lamps", "--size=9M", "pool"] },
      { command: [tool, "info", "pool"] },
      { command: [tool, "check", "pool"] },
      { command: [tool, "create", "log", "pool.log"] },
      { command: [tool, "check", "-v", "pool.log"] },
      { command: [tool, "check", "missing"] },
      { command: [tool, "rm", "pool.log"] },
    ],
  },
  {
    name: "libpmem on a granted pool",
    source: "pmem.c",
    flags: ["-O2", "-lpmem"],
    needs: header,
    steps: [{ command: ["{program}", "pool"] }, { command: ["{program}", "pool"] }],
  },
  {
    name: "libpmem in the overlay",
    source: "pmem.c",
    flags: ["-O2", "-lpmem"],
    needs: header,
    writes: "overlay",
    quick: true,
    steps: [{ command: ["{program}", "pool"] }],
  },
  {
    name: "libpmemobj on a granted pool",
    source: "pmemobj.c",
    flags: ["-O2", "-lpmemobj"],
    needs: "/usr/include/libpmemobj.h",
    compareFiles: "sizes",
    steps: [{ command: ["{program}", "objects"] }, { command: ["{program}", "objects"] }],
  },
  {
    name: "libpmemobj in the overlay",
    source: "pmemobj.c",
    flags: ["-O2", "-lpmemobj"],
    needs: "/usr/include/libpmemobj.h",
    writes: "overlay",
    steps: [{ command: ["{program}", "objects"] }],
  },
];
