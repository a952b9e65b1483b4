/** What is said to agree against the words themselves, while lines change, open and close; nothing that agrees is missed for long. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import { AgreedPieces } from "./agreed-pieces.ts";

const [lines, contentsPerLine, pieces] = [12, 4, 40];
const random = seedRandom(11);

/** By content, which are numbered line after line: few values, so that contents differ in some words only. */
const words = Array.from({ length: lines * contentsPerLine }, () => Array.from({ length: 16 }, () => below(random, 2)));
const contentOf = (line: number): number => line * contentsPerLine + below(random, contentsPerLine);

it("agrees where every word has its answer, and only there", () => {
  const high = Int32Array.from({ length: lines }, (_, line) => contentOf(line));
  const flags = new Uint8Array(lines);
  const answerTo = (question: number): number => words[high[question >>> 4]!]![question & 15]!;
  const drawn = Array.from({ length: pieces }, () => {
    const questions = Int32Array.from({ length: 1 + below(random, 20) }, () => below(random, 16 * lines));
    return { questions, answers: questions.map(answerTo) };
  });
  const agreed = new AgreedPieces();
  const count = { said: 0, found: 0 };
  for (let step = 0; step < 20_000; step++) {
    const line = below(random, lines);
    if (below(random, 2) === 0) high[line] = contentOf(line);
    else flags[line] = below(random, 4) === 0 ? 1 : 0;
    const piece = below(random, pieces);
    const { questions, answers } = drawn[piece]!;
    const isSo = questions.every((question, at) => flags[question >>> 4] === 0 && answerTo(question) === answers[at]);
    const isSaid = agreed.agrees(piece, high, flags);
    if (isSaid) expect(isSo).toBe(true);
    if (!isSo) continue;
    count[isSaid ? "said" : "found"]++;
    agreed.note(piece, questions, high);
    expect(agreed.agrees(piece, high, flags)).toBe(true);
  }
  expect(count.said).toBeGreaterThan(100);
  expect(count.found).toBeGreaterThan(100);
});
