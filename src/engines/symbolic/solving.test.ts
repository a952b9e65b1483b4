/** The solver chain beside the solver alone, on questions at random. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { evaluateTerm, type Term, Terms } from "../../smt/index.ts";
import type { Conditions } from "./path.ts";
import { Solving } from "./solving.ts";
import { type Model, Unknowns } from "./unknowns.ts";

const seed = Number(process.env.SEED ?? 0);
const rounds = Number(process.env.ROUNDS ?? 6);

const operations = ["add", "subtract", "multiply", "bitXor", "bitAnd"] as const;

test("with tries and without, the same questions have answers", async () => {
  const random = seedRandom(seed);
  const terms = new Terms();
  const unknowns = new Unknowns(terms);
  const bytes = Array.from({ length: 4 }, (_, i) => unknowns.byte("input", i, 0));
  const draw = <T>(from: readonly T[]): T => from[below(random, from.length)]!;
  const word = (): Term => {
    const [a, b] = [terms.extend(draw(bytes), 16), terms.extend(draw(bytes), 16)];
    return terms.compute(
      draw(operations),
      a,
      below(random, 3) === 0 ? terms.constant(16, BigInt(below(random, 300))) : b,
    );
  };
  const condition = (): Term => {
    const constant = terms.constant(16, BigInt(below(random, 600)));
    const made = below(random, 2) === 0 ? terms.equal(word(), constant) : terms.compare("below", word(), constant);
    return below(random, 2) === 0 ? made : terms.not(made);
  };
  const seen = new Set<string>();
  const [chain, alone] = [new Solving(unknowns), new Solving(unknowns, { tries: false })];
  for (let round = 0; round < rounds; round++) {
    // Conditions that one input satisfies, as those of a path, with each one's opposite as a question.
    const model: Model = new Map(bytes.map((byte) => [byte, BigInt(below(random, 256))]));
    const worth = unknowns.assignment(model);
    let before: Conditions | undefined;
    for (let i = 0; i < 5; i++) {
      const drawn = condition();
      const holds = evaluateTerm(drawn, worth) === 1n ? drawn : terms.not(drawn);
      const wanted = terms.not(holds);
      if (wanted.op === "constant") continue;
      const question = { before, wanted, model };
      const [quick, slow] = [await chain.solve(question), await alone.solve(question)];
      expect(typeof quick === "string" ? quick : "found", `seed ${seed}`).toBe(
        typeof slow === "string" ? slow : "found",
      );
      seen.add(typeof slow === "string" ? slow : "found");
      before = { term: holds, before, count: (before?.count ?? 0) + 1 };
    }
  }
  expect(seen).toEqual(new Set(["found", "impossible"]));
  expect(chain.counts.byTries).toBeGreaterThan(0);
});
