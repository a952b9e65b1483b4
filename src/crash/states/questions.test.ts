/** Questions, the order in which runs ask them and what is told of the compared run, against lists that are gone through. */
import { expect, test } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { lineKey, placeOfLine } from "../../model/pmem/index.ts";
import { AskedQuestions, Questions } from "./questions.ts";

const lines = 200;
const wordsPerLine = 8;

test.each([1, 2, 3, 4])("answers, places and differences (seed %i)", (seed) => {
  const random = seedRandom(seed);
  const questions = new Questions();
  // Places begin anew every few runs.
  const asked = new AskedQuestions(700);
  const contents = Array.from({ length: lines }, () => new Uint8Array(64));
  const lineOf = (index: number) => contents[index]!;
  const heldIn = (word: number) => lineOf(Math.floor(word / wordsPerLine))[(word % wordsPerLine) * 8]!;
  /** By number of a word, and the compared run: its words in order, with what they held. */
  const questionOf = new Map<number, number>();
  let compared: { readonly word: number; readonly value: number }[] | undefined;
  for (let round = 0; round < 400; round++) {
    const index = below(random, lines);
    lineOf(index)[below(random, wordsPerLine) * 8] = below(random, 3);
    questions.lineIs(lineKey(0, index), () => lineOf(index));
    if (compared !== undefined) {
      const differing = compared.filter(({ word, value }) => heldIn(word) !== value);
      expect(questions.differing).toBe(differing.length);
      const same = compared.findIndex(({ word, value }) => heldIn(word) !== value);
      expect(questions.same).toBe(same < 0 || differing.length > 64 ? 0 : same);
      const lineAsked = compared.some(({ word }) => Math.floor(word / wordsPerLine) === index);
      expect(questions.wasAskedOf(lineKey(0, index))).toBe(lineAsked);
    }
    if (below(random, 4) > 0) continue;
    const words = Int32Array.from({ length: 1 + below(random, 120) }, () => below(random, lines * wordsPerLine));
    asked.begin();
    questions.askWords(0, words, (key) => lineOf(placeOfLine(key).index), asked);
    const once = [...new Set(words)];
    expect(asked.list.length).toBe(once.length);
    once.forEach((word, place) => {
      const question = asked.list[place]!;
      expect(questionOf.get(word) ?? question).toBe(question);
      questionOf.set(word, question);
      expect(questions.words[2 * question]).toBe(heldIn(word));
    });
    if (below(random, 2) > 0) continue;
    questions.compareWith(asked);
    compared = once.map((word) => ({ word, value: heldIn(word) }));
  }
  expect(new Set(questionOf.values()).size).toBe(questionOf.size);
});
