/** A register that readers flush while it is tagged, with each flush and fence of it left out: which clients notice. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { ProgramCode, proveCode, runToMain } from "../../src/engines/index.ts";
import { px86 } from "../../src/model/pmem/index.ts";
import { startZ3 } from "../../src/smt/index.ts";
import { compileGuest, loadGuest } from "../support/programs.ts";

const clients = {
  stored: ["w"],
  stored_both: ["ww"],
  seen: ["w", "r"],
  passed_on: ["w", "rw"],
  loaded_both: ["ww", "rr"],
  added: ["u", "u"],
  added_twice: ["uu", "uu"],
} as const;
type Client = keyof typeof clients;

/** By what is left out, the clients that it breaks. */
const broken: readonly (readonly [without: number, what: string, notice: readonly Client[]])[] = [
  [0, "nothing", []],
  [1, "a store's flush", ["stored", "stored_both", "seen", "passed_on", "loaded_both"]],
  // The next fence of the thread comes before anything that tells of the store, unless a reader tells of it.
  [2, "a store's fence", ["seen", "passed_on", "loaded_both"]],
  [3, "an update's flush", ["added", "added_twice"]],
  // The tag is taken back by a locked operation, which is a fence.
  [4, "an update's fence", []],
  [5, "a load's flush", ["seen", "passed_on", "loaded_both"]],
  // What a reader passes on by a store of the register comes after the fence of that store's tag.
  [6, "the fence at the end", ["seen", "loaded_both"]],
];

let start: Awaited<ReturnType<typeof startZ3>>;
beforeAll(async () => {
  start = await startZ3();
});

const levels = (without: number) => (without === 0 ? ["-O0", "-O2"] : ["-O2"]);
const cases = broken.flatMap(([without, what, notice]) =>
  levels(without).map((level) => [what, level, without, notice] as const),
);

describe.each(cases)("without %s, compiled with %s", (_what, level, without, notice) => {
  test("the clients that notice", () => {
    const path = compileGuest("prove/flit.c", [level, "-g", "-mclwb", `-DWITHOUT=${without}`]);
    const { machine } = loadGuest([path]);
    const code = new ProgramCode(machine, readFileSync(path), path);
    runToMain(machine);
    const answers = (encoding: "full" | "partial") =>
      Object.entries(clients).map(([recover, threads]) => {
        const calls = threads.map((name, thread) => ({ name, args: [BigInt(thread)] }));
        const question = { code, port: machine.port, threads: calls, recover: { name: recover, args: [] } };
        const options = { question, bound: undefined, model: px86, encoding };
        return [recover, proveCode(options, { start, alarm: () => {} }).answer];
      });
    const expected = Object.keys(clients).map((client) => [
      client,
      notice.includes(client as Client) ? "unsafe" : "safe",
    ]);
    expect(answers("full")).toEqual(expected);
    if (without === 0) expect(answers("partial")).toEqual(expected);
  }, 60_000);
});
