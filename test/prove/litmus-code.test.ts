/**
 * Litmus tests as functions of a binary, through decoder, lifting and evaluation over terms: no outcome but the golden ones comes
 * about, and each of them does. PROVED=all goes through every test; without it, some.
 */
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { ProgramCode, proveCode, runToMain } from "../../src/engines/index.ts";
import { initialMemory, type LitmusTest, machineFor } from "../../src/model/litmus/index.ts";
import { px86, withPlatform } from "../../src/model/pmem/index.ts";
import { startZ3 } from "../../src/smt/index.ts";
import { ownGolden, ownTests, referenceGolden, referenceTests } from "../litmus/own-tests.ts";
import { compileText, loadGuest } from "../support/programs.ts";
import { type CodeTest, codeSource, valuesIn } from "./litmus-code.ts";

const stride = env.PROVED === "all" ? 1 : 13;
const mostArguments = 6;

const golden = ownGolden();
const codeTest = (litmus: LitmusTest, outcomes: readonly string[]): CodeTest => ({
  ...{ name: litmus.name, outcomes },
  machine: machineFor(litmus, litmus.phases[0]!, initialMemory(litmus), px86),
});
const all: readonly CodeTest[] = [
  ...ownTests.map((litmus) => codeTest(litmus, golden[litmus.name]![0]!.any)),
  ...referenceTests.map((litmus) => codeTest(litmus, referenceGolden[litmus.name]!.any)),
].filter(({ machine }) => machine.locations.length <= mostArguments);
const eadr = new Map([
  ...ownTests.map(({ name }) => [name, golden[name]![0]!.eadr] as const),
  ...referenceTests.map(({ name }) => [name, referenceGolden[name]!.eadr] as const),
]);
const tests = all.filter((_, index) => index % stride === 0);

let start: Awaited<ReturnType<typeof startZ3>>;
beforeAll(async () => {
  start = await startZ3();
});

test("there are enough of them", () => {
  expect(all.length).toBeGreaterThan(150);
});

describe("as code", () => {
  const path = compileText("proved-litmus", codeSource(tests), ["-O2", "-g", "-mclflushopt", "-mclwb"]);
  const { machine } = loadGuest([path]);
  const code = new ProgramCode(machine, readFileSync(path), path);
  runToMain(machine);

  test.each(tests.map((each, index) => [each.name, each, index] as const))(
    "%s",
    (name, each, index) => {
      const threads = each.machine.phase.map((_, thread) => ({ name: `t${index}_${thread}`, args: [] }));
      const answer = (recover: string, args: readonly number[], encoding: "full" | "partial", model = px86) => {
        const question = { code, port: machine.port, threads, recover: { name: recover, args: args.map(BigInt) } };
        return proveCode({ question, bound: 1, model, encoding }, { start, alarm: () => {} }).answer;
      };
      for (const encoding of ["full", "partial"] as const)
        expect(["safe", "vacuous"], encoding).toContain(answer(`other${index}`, [], encoding));
      for (const outcome of each.outcomes)
        expect(answer(`just${index}`, valuesIn(each, outcome), "full"), outcome).toBe("unsafe");
      const left = eadr.get(name)!;
      for (const outcome of each.outcomes)
        expect(
          answer(`just${index}`, valuesIn(each, outcome), "partial", withPlatform(px86, "eadr")) === "unsafe",
        ).toBe(left.includes(outcome));
    },
    120_000,
  );
});
