/** The solver against the operational model on random programs: complete outcome sets, every platform. PROVED_SEED and PROVED_PROGRAMS go on. */
import { env } from "node:process";
import { expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { provedBy } from "../../src/engines/prove/index.ts";
import {
  compareEngines,
  LimitReached,
  type Limits,
  optionsFor,
  parseTests,
  randomTestText,
} from "../../src/model/litmus/index.ts";
import { startZ3 } from "../../src/smt/index.ts";

const seed = Number(env.PROVED_SEED ?? 41);
const programs = Number(env.PROVED_PROGRAMS ?? 30);
/** Programs of more outcomes than can be gone through one by one are left to the models. */
const limits: Limits = { states: 3000, candidates: 20_000, traces: 2000, instructions: 12 };

test(
  `the solver agrees on ${programs} random programs (seed ${seed})`,
  async () => {
    const start = await startZ3();
    const random = seedRandom(seed);
    let compared = 0;
    while (compared < programs) {
      const text = randomTestText(random, `random-${seed}-${compared}`);
      const platform = below(random, 5) === 0 ? "strict" : "px86";
      const failedCas = below(random, 5) === 0 ? "load" : "fence";
      const encoding = below(random, 2) === 0 ? "full" : "partial";
      try {
        for (const litmus of parseTests({ file: "random program", text })) {
          const options = optionsFor(platform, failedCas, limits);
          expect(compareEngines(litmus, ["operational", provedBy({ start, encoding })], options), text).toBeUndefined();
          compared++;
        }
      } catch (error) {
        if (!(error instanceof LimitReached)) throw error;
      }
    }
  },
  2 ** 31 - 1,
);
