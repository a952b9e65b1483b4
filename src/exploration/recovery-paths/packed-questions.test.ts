import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { packQuestions, unpackNumbers, unpackQuestions } from "./packed-questions.ts";

it("stretches of neighbours are two numbers", () => {
  expect(packQuestions([5, 6, 7, 3])).toBe("EKDHB");
  expect(packQuestions([])).toBe("A");
});

it("random questions come back, with the checksums' bit, other things' numbers and numbers beyond 32 bits", () => {
  const random = seedRandom(1);
  const folded = 2 ** 30;
  const draw = [
    () => below(random, 40),
    () => below(random, 2 ** 24) + (below(random, 2) === 0 ? 0 : folded),
    () => -1 - below(random, 9),
  ];
  for (let turn = 0; turn < 300; turn++) {
    const questions = Array.from({ length: below(random, 60) }, () => draw[below(random, draw.length)]!());
    expect([...unpackQuestions(packQuestions(questions))]).toEqual(questions);
    const large = questions.map((question) => (question < 0 ? question : question * 2 ** 20 + below(random, 3)));
    expect(unpackNumbers(packQuestions(large))).toEqual(large);
  }
});

it.each(["", "B", "BA", "BKA", "BKC", "AA", "B\u0000B", "Bg"])("%j is not what packing writes", (packed) => {
  expect(() => unpackQuestions(packed)).toThrow("packed");
});
