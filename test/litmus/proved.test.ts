/**
 * The solver against the golden outcomes: complete sets of crash states by both crash encodings, on both platforms, final states
 * too. PROVED=all goes through every test; without it, some. Then each rule of the model is left out, and the solver must notice what
 * the axiomatic model notices.
 */
import { env } from "node:process";
import { beforeAll, describe, expect, test } from "vitest";
import { type CrashEncoding, provedBy } from "../../src/engines/prove/index.ts";
import {
  compareEngines,
  crashSets,
  defaultOptions,
  type LitmusTest,
  optionsFor,
} from "../../src/model/litmus/index.ts";
import { px86, rules, withoutRule } from "../../src/model/pmem/index.ts";
import { type StartSolver, startZ3 } from "../../src/smt/index.ts";
import { ownGolden, ownTest, ownTests, referenceGolden, referenceTests } from "./own-tests.ts";

const all = env.PROVED === "all";
const stride = all ? 1 : 17;
const sample = <Item>(items: readonly Item[]): Item[] => items.filter((_, index) => index % stride === 0);

let start: StartSolver;
beforeAll(async () => {
  start = await startZ3();
});

const encodings: readonly Exclude<CrashEncoding, "end">[] = ["full", "partial"];
const golden = ownGolden();
const named = (litmus: LitmusTest) => [litmus.name, litmus] as const;

describe.each(encodings)("%s executions", (encoding) => {
  test.each(sample(ownTests).map(named))(
    "%s",
    (name, litmus) => {
      const engine = provedBy({ start, encoding });
      expect(crashSets(litmus, engine, defaultOptions)).toEqual(golden[name]);
    },
    60_000,
  );

  test.each(sample(referenceTests).map(named))(
    "%s of the reference set",
    (name, litmus) => {
      expect(crashSets(litmus, provedBy({ start, encoding }), defaultOptions)[0]).toEqual(referenceGolden[name]);
    },
    60_000,
  );

  test("final states, the strict platform, and a failed compare-and-swap that is a load", () => {
    const engine = provedBy({ start, encoding });
    for (const name of ["cas-branch", "clflushopt-failed-cas", "crossed-clflushopt-failed-cas", "message-passing"])
      for (const options of [optionsFor("px86", "fence"), optionsFor("strict", "load")])
        expect(compareEngines(ownTest(name), [engine, "axiomatic"], options), name).toBeUndefined();
  }, 60_000);
});

/** A rule about ways from a store to a flush, which says nothing that edges could say. */
const notEncoded = new Set(["PM-29"]);

describe.each(rules.filter(({ id }) => !notEncoded.has(id)).map((rule) => [rule.id, rule] as const))(
  "without %s",
  (id, rule) => {
    test("the solver notices, and says what the axiomatic model says", () => {
      const mutant = { ...defaultOptions, model: withoutRule(px86, id) };
      const [litmus] = rule.caughtBy.map(ownTest);
      const engine = provedBy({ start, encoding: "full" });
      const sets = crashSets(litmus!, engine, mutant);
      expect(sets).toEqual(crashSets(litmus!, "axiomatic", mutant));
      expect(sets).not.toEqual(golden[litmus!.name]);
    }, 60_000);
  },
);
