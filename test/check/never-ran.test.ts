/**
 * The user's functions that never ran: against gcov, which counts calls in the program as it is built and run natively, and against
 * a run of single instructions whose addresses are looked up one by one. What ran is never said not to have; where nothing is
 * optimised, the two are equal.
 */
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { KeptCode, RanCode } from "../../src/machine/index.ts";
import { createSymbolizer, readElf } from "../../src/program/elf/index.ts";
import { DebugFile, ranFunctions } from "../../src/program/symbols/index.ts";
import type { Report } from "../../src/report/document/index.ts";
import { inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout } from "../end-to-end/command.ts";
import { reportOf } from "../support/findings.ts";
import { compileGuest, finish, guestSource, loadGuest } from "../support/programs.ts";
import { objectGuest } from "./seeded-obj.ts";

const pool = "/tmp/blackout-never-ran.pool";
/** Static, so that it starts at once. */
const guest = (flag: string) => compileGuest("check/functions.c", ["-g", "-static", flag]);
const elfOf = (program: string) => readElf(readFileSync(program), program, "symbols");

/** Functions of a program that its runs, one after another on what the one before left, did not run. */
function neverRan(program: string, runs: readonly (readonly string[])[], kept?: KeptCode): readonly string[] {
  const ran = new RanCode((path) => path === program);
  let files: ReturnType<ReturnType<typeof loadGuest>["machine"]["exportFiles"]> | undefined;
  for (const words of runs) {
    const guest = loadGuest([program, ...words], { ranCode: ran, ...(kept && { keptCode: () => kept }) });
    if (files !== undefined) guest.machine.importFiles(files);
    finish(guest);
    guest.machine.writeBack();
    files = guest.machine.exportFiles();
  }
  return ranFunctions(new DebugFile(elfOf(program), {}), ran.all.get(program) ?? new Map())
    .filter(({ ran }) => !ran)
    .map(({ name }) => name);
}

interface Counted {
  readonly files: readonly {
    readonly functions: readonly { readonly demangled_name: string; readonly execution_count: number }[];
  }[];
}

/** What gcov says was called, natively; by name without arguments. */
function calledNatively(source: string, runs: readonly (readonly string[])[], libraries: readonly string[] = []) {
  return inTemporaryDirectory((folder) => {
    const compiler = source.endsWith(".c") ? "gcc" : "g++";
    const flags = ["-march=x86-64-v2", "-g", "-O0", "--coverage", "-o", "counted", guestSource(source), ...libraries];
    execFileSync(compiler, flags, { cwd: folder });
    const ownPool = join(folder, "pool");
    for (const words of runs)
      execFileSync(
        "./counted",
        words.map((word) => (word === pool ? ownPool : word)),
        { cwd: folder, stdio: "ignore" },
      );
    const stem = source
      .split("/")
      .at(-1)!
      .replace(/\.\w+$/, "");
    execFileSync("gcov", ["--json-format", `counted-${stem}`], { cwd: folder, stdio: "ignore" });
    const [file] = execFileSync("sh", ["-c", "ls *.gcov.json.gz"], { cwd: folder, encoding: "utf8" }).split("\n");
    const counted = JSON.parse(gunzipSync(readFileSync(join(folder, file!))).toString()) as Counted;
    const all = counted.files.flatMap(({ functions }) => functions);
    return new Map(all.map((each) => [each.demangled_name, each.execution_count > 0]));
  });
}

const runs = [
  [pool, "create"],
  [pool, "run"],
  [pool, "check"],
] as const;

const everything = process.env.SEEDED === "all";

describe("what gcov counts no call of natively", () => {
  const uncalled = ["compact", "discard", "seldom", "spin", "undo"];

  it("never ran, without optimisation", () => {
    const called = calledNatively("check/functions.c", runs);
    expect(new Set([...called].flatMap(([name, isCalled]) => (isCalled ? [] : [name])))).toEqual(new Set(uncalled));
    expect(new Set(neverRan(guest("-O0"), runs))).toEqual(new Set(uncalled));
  });
  it.each(["-O1", "-O2", "-O3"])("is all that never ran, with %s", (flag) => {
    const named = neverRan(guest(flag), runs);
    expect(named).toContain("compact");
    for (const name of named) expect(uncalled).toContain(name);
  });
  it.runIf(everything).each(["array", "list", "map"])("is what never ran in %s on libpmemobj", (name) => {
    const onObjects = (["create", "run", "check"] as const).map((command) => [command, pool]);
    const calls = calledNatively(`check/obj/${name}.c`, onObjects, ["-lpmemobj"]);
    for (const each of neverRan(objectGuest(name, undefined), onObjects)) expect(calls.get(each), each).toBe(false);
  });
});

it.each(["-O0", "-O2"])("agrees with a look at every address that ran, with %s", (flag) => {
  const program = guest(flag);
  const words = [program, pool, "run", "40", "all"];
  const symbolizer = createSymbolizer(elfOf(program));
  const { machine } = loadGuest(words, { hotAfter: 0 });
  const names = new Map<number, readonly string[]>();
  do {
    const { rip } = machine;
    if (!names.has(rip))
      names.set(
        rip,
        symbolizer.frames(rip).map((frame) => frame.function ?? ""),
      );
  } while (machine.run(1).kind === "limit");
  const seen = new Set([...names.values()].flat());
  for (const name of ["enter", "spin", "main"]) expect(seen).toContain(name);
  for (const name of neverRan(program, [words.slice(1)])) expect(seen).not.toContain(name);
});

it("is the same whatever is kept of earlier runs", () => {
  const few = [pool, "run", "60000"];
  const [program, kept] = [guest("-O0"), new KeptCode()];
  const cold = neverRan(program, [few]);
  expect(cold).toContain("seldom");
  expect(neverRan(program, [[...few, "all"]], kept)).not.toContain("seldom");
  expect(kept.regions.isEmpty).toBe(false);
  expect(neverRan(program, [few], kept)).toEqual(cold);
  expect(neverRan(program, [[...few, "all"]], kept)).not.toContain("seldom");
});

describe("a check", () => {
  const words = (program: string, ...run: readonly string[]) => [
    ...["--no-rules", "--setup", `${program} ${pool} create`, "--recover", `${program} ${pool} check`],
    ...["--", program, pool, "run", ...run],
  ];
  const named = ({ coverage }: Report) => coverage?.functions?.neverRan.map((each) => each.function);

  it("says which functions no run of it ran, recoveries after power cuts among them", async () => {
    const report = await reportOf("check", words(guest("-O0")));
    expect(report.coverage?.functions?.total).toBe(10);
    expect(named(report)).toEqual(["discard", "compact", "seldom", "spin"]);
  });
  it("says it in a line, however many threads judge and whatever was kept", () =>
    inTemporaryDirectory((folder) => {
      const line = (cache: string, ...run: readonly string[]) =>
        runBlackout(["check", "--no-explore", "-j", "2", ...words(guest("-O0"), ...run)], {
          cwd: folder,
          environment: { BLACKOUT_CACHE: cache },
        }).stderr.match(/^blackout: .* never ran: .*$/m)?.[0];
      const cache = join(folder, "cache");
      expect(line(cache, "60000", "all")).toBe("blackout: 2 of your 10 functions never ran: discard, compact");
      for (const where of [cache, "off"])
        expect(line(where, "60000")).toBe("blackout: 3 of your 10 functions never ran: discard, compact, seldom");
    }));
  it("knows what ran before it was interrupted", () =>
    inTemporaryDirectoryLater(async (folder) => {
      const journaled = ["--journal", join(folder, "journal")];
      const first = await reportOf("check", ["--max-states", "18", ...journaled, ...words(guest("-O0"))]);
      expect(first.coverage?.functions).toBeUndefined();
      expect(named(await reportOf("check", ["--resume", ...journaled, ...words(guest("-O0"))]))).not.toContain("undo");
    }));
});
