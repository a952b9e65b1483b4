/**
 * Random programs: the proof by both encodings says what going through all schedules says. PROVED_SEED and PROVED_PROGRAMS go on; without
 * them there is a sample.
 */
import { readFileSync } from "node:fs";
import { env } from "node:process";
import { expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { allSchedules, ProgramCode, proveCode, runToMain } from "../../src/engines/index.ts";
import { px86, withPlatform } from "../../src/model/pmem/index.ts";
import { startZ3 } from "../../src/smt/index.ts";
import { compileText, loadGuest } from "../support/programs.ts";
import { features, randomCode, randomSource } from "./random-code.ts";

const seed = Number(env.PROVED_SEED ?? 41);
const count = Number(env.PROVED_PROGRAMS ?? 40);
const atOnce = 100;
const states = 100_000;
const platforms = ["px86", "px86", "px86", "eadr"] as const;

test(
  `the solver agrees with all schedules on ${count} random programs (seed ${seed})`,
  async () => {
    const start = await startZ3();
    const random = seedRandom(seed);
    const answers = new Map<string, number>();
    const met = new Map<string, number>();
    for (let done = 0; done < count; done += atOnce) {
      const programs = Array.from({ length: Math.min(atOnce, count - done) }, (_, index) =>
        randomCode(random, done + index),
      );
      const level = ["-O2", "-O0"][(done / atOnce) % 2]!;
      const path = compileText(`random-${seed}`, randomSource(programs), [level, "-g", "-mclflushopt", "-mclwb"]);
      const { machine } = loadGuest([path]);
      const code = new ProgramCode(machine, readFileSync(path), path);
      runToMain(machine);
      for (const { threads, recover, source, has } of programs) {
        const platform = platforms[below(random, platforms.length)]!;
        const model = withPlatform(px86, platform);
        const question = {
          ...{ code, port: machine.port, recover: { name: recover, args: [] } },
          threads: threads.map((name) => ({ name, args: [] })),
        };
        const explicit = allSchedules({ question, model, states, reduce: below(random, 4) > 0, alarm: () => {} });
        for (const encoding of ["full", "partial"] as const) {
          const { answer } = proveCode({ question, bound: undefined, model, encoding }, { start, alarm: () => {} });
          const context = `${encoding}, ${platform}, ${level}, seed ${seed}:\n${source}`;
          // Of a load that recovery's own stores cover in part the solver does not say which bytes are left.
          if (has.has("an access of another size") && has.has("a recovery that writes"))
            expect(answer === "unsafe", context).toBe(explicit.answer === "unsafe");
          else expect(answer, context).toBe(explicit.answer);
        }
        answers.set(explicit.answer, (answers.get(explicit.answer) ?? 0) + 1);
        for (const feature of has) met.set(feature, (met.get(feature) ?? 0) + 1);
      }
    }
    for (const answer of ["safe", "unsafe"]) expect(answers.get(answer), answer).toBeGreaterThan(count / 12);
    for (const feature of features) expect(met.get(feature), feature).toBeGreaterThan(count / 4);
  },
  2 ** 31 - 1,
);
