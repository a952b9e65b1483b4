/**
 * Three libraries from papers and their clients: what holds is safe, unoptimised and optimised, and for each flush that a library is left
 * without, just the clients that are named notice. PROVED=all goes through the rows of many states, too.
 */
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { allSchedules, callBeforeMain, ProgramCode, proveCode, runToMain } from "../../src/engines/index.ts";
import { px86 } from "../../src/model/pmem/index.ts";
import { startZ3 } from "../../src/smt/index.ts";
import { compileGuest, loadGuest } from "../support/programs.ts";
import { type ClientRow, clientRows } from "./clients.ts";

const all = env.PROVED === "all";
const states = all ? 1_000_000 : 10_000;
/** Rows of more states than a quick test goes through. */
const large = /^(u\+u\+u\+u-w|2uu.*|3uu|4uu|e2\+2dw|e\+e\+d\+d|e\+e\+e|ee\+ddw\+d|e\+de\+e.*|e3\+3dw)$/;
const small = clientRows.filter(({ client }) => !large.test(client));

function libraryOf(library: ClientRow["library"], flags: readonly string[]) {
  const path = compileGuest(`prove/${library}.c`, [...flags, "-g", "-mclwb"]);
  const { machine } = loadGuest([path]);
  const code = new ProgramCode(machine, readFileSync(path), path);
  runToMain(machine);
  if (library === "set") callBeforeMain(machine, "start", code.named("start")!);
  const question = (threads: readonly string[], recover: string) => ({
    ...{ code, port: machine.port, recover: { name: recover, args: [] } },
    threads: threads.map((name, thread) => ({ name, args: [BigInt(thread)] })),
  });
  return {
    explore: (threads: readonly string[], recover: string) =>
      allSchedules({ question: question(threads, recover), model: px86, states, reduce: true, alarm: () => {} }).answer,
    prove: (threads: readonly string[], recover: string, encoding: "full" | "partial") =>
      proveCode({ question: question(threads, recover), bound: 1, model: px86, encoding }, { start, alarm: () => {} })
        .answer,
  };
}

let start: Awaited<ReturnType<typeof startZ3>>;
beforeAll(async () => {
  start = await startZ3();
});

describe.each(["-O0", "-O2"])("compiled with %s", (level) => {
  const libraries = {
    flit: libraryOf("flit", [level]),
    queue: libraryOf("queue", [level]),
    set: libraryOf("set", [level]),
  };
  test.each((all ? clientRows : small).map((row) => [`${row.library}: ${row.client}`, row] as const))(
    "%s is safe",
    (_name, { library, threads, recover }) => {
      const answer = libraries[library].explore(threads, recover);
      if (answer === "no verdict" && all) expect(libraries[library].prove(threads, recover, "full")).toMatch(/^safe/);
      else expect(answer).toBe("safe");
    },
    600_000,
  );

  test("the solver proves the smallest", () => {
    expect(libraries.queue.prove(["dw"], "one_taker", "partial")).toBe("safe");
    if (all) expect(libraries.set.prove(["iw"], "put_in_is_lost", "partial")).toBe("safe");
  }, 120_000);
});

const few = small.filter(({ client }) => client !== "e+e+d");
/** Who helps another shows among three threads only: two that put in, two that take out. */
const helped: ReadonlyMap<string, readonly ClientRow[]> = new Map([
  ["queue 2", small.filter(({ client }) => client === "e+e+d")],
  ["queue 9", [{ library: "queue", client: "e+d+d", threads: ["e", "d", "d"], recover: "two_take", paper: [0, 0] }]],
]);

// biome-ignore format: a table
const without: readonly (readonly [library: "queue" | "set", number: number, what: string, notice: string])[] = [
  ["queue", 1,  "a new node's flush",                  "e+d ee+dw e+e ee+d e+de ee+ddw ee+dd"],
  ["queue", 2,  "a helper's flush of a link",          "e+e+d"],
  ["queue", 3,  "the flush of a link",                 "e+d ee+dw ee+d e+de ee+ddw ee+dd"],
  ["queue", 4,  "the flush of where results are",      "dw ee+dw ee+ddw"],
  ["queue", 5,  "the flush that there was nothing",    "dw ee+dw ee+ddw"],
  ["queue", 6,  "a taker's flush of a link",           "e+d ee+dw ee+d e+de ee+ddw ee+dd"],
  ["queue", 7,  "the flush of who took",               "e+d ee+dw ee+d e+de ee+ddw ee+dd"],
  ["queue", 8,  "the flush of what was taken",         "ee+dw ee+ddw"],
  ["queue", 9,  "a helper's flush of who took",        "e+d+d"],
  // Who was helped makes its result durable itself, before it goes on.
  ["queue", 10, "a helper's flush of what was taken",  ""],
  ["set",   1,  "the flush of what was put in",        "iw i+i-w"],
  ["set",   2,  "the flush of what was taken out",     "irw iw+rw i+crw"],
];

test.each(without)(
  "%s without %d, %s: %s",
  (library, number, _what, notice) => {
    const { explore, prove } = libraryOf(library, ["-O2", `-DWITHOUT=${number}`]);
    const rows = helped.get(`${library} ${number}`) ?? few.filter((row) => row.library === library);
    const unsafe = rows.filter(({ threads, recover }) => explore(threads, recover) === "unsafe");
    expect(unsafe.map(({ client }) => client).join(" ")).toBe(notice);
    const [smallest] = unsafe.toSorted((a, b) => a.threads.length - b.threads.length || a.paper[1] - b.paper[1]);
    if (smallest === undefined || (!all && number !== 4)) return;
    for (const encoding of ["full", "partial"] as const)
      expect(prove(smallest.threads, smallest.recover, encoding), encoding).toBe("unsafe");
  },
  300_000,
);
