/** Lists of questions and answers in pieces, against the lists themselves; and what a tree of many alike keeps. */
import { expect, it } from "vitest";
import { below, seedRandom } from "../../base/index.ts";
import type { RecoveryEnd } from "../states/index.ts";
import { AnsweredQuestions, type Place } from "./answered-questions.ts";
import { RecoveryTree } from "./tree.ts";

interface List {
  readonly questions: Int32Array;
  readonly answers: Int32Array;
}
type Asked = readonly [question: number, answer: number];

const random = seedRandom(7);

/** Some words of so many lines, line after line, as recoveries read; now and then the words of one stand among another's. */
function drawn(lines: number): Asked[] {
  const order = Array.from({ length: lines }, () => below(random, 1 << 20));
  return order.flatMap((line) =>
    Array.from({ length: 1 + below(random, 16) }, (_, word): Asked => [16 * line + word, below(random, 3)]),
  );
}

const listOf = (asked: readonly Asked[]): List => ({
  questions: Int32Array.from(asked, ([question]) => question),
  answers: Int32Array.from(asked, ([, answer]) => answer),
});

/** As the one before it, but for a beginning that is left out, an answer that is another, or a question more. */
function alike(asked: readonly Asked[]): Asked[] {
  const at = below(random, asked.length);
  const [question, answer] = asked[at]!;
  const others: readonly (() => Asked[])[] = [
    () => asked.slice(at),
    () => [...asked.slice(0, at), [question, answer + 1], ...asked.slice(at + 1)],
    () => [...asked.slice(0, at), [below(random, 1 << 24), 0], ...asked.slice(at)],
    () => drawn(below(random, 60)),
  ];
  return others[below(random, others.length)]!();
}

function read(table: AnsweredQuestions, from: Place, to: Place) {
  const places: Place[] = [];
  const asked: Asked[] = [];
  const reader = table.read(from, to);
  for (; reader.isMore; reader.pass()) {
    places.push(reader.place);
    asked.push([reader.question, reader.answer]);
  }
  expect(reader.passed).toBe(asked.length);
  return { places, asked };
}

it("reads what was added, from any question to any other", () => {
  const table = new AnsweredQuestions();
  const lists: { readonly asked: readonly Asked[]; readonly from: Place; readonly to: Place }[] = [];
  let asked: readonly Asked[] = drawn(80);
  for (let i = 0; i < 300; i++) {
    const { questions, answers } = listOf(asked);
    const from = table.end;
    lists.push({ asked, from, to: table.add(questions, answers) });
    expect(table.end).toBe(lists.at(-1)!.to);
    asked = i % 20 === 19 || asked.length < 2 ? drawn(80) : alike(asked);
  }
  for (const { asked: own, from, to } of lists) {
    const { places, asked: all } = read(table, from, to);
    expect(all).toEqual(own);
    if (own.length === 0) continue;
    expect(places[0]).toBe(from);
    expect(places.map((place) => table.behind(place))).toEqual([...places.slice(1), to]);
    const [first, last] = [below(random, own.length), below(random, own.length)].sort((a, b) => a - b) as [
      number,
      number,
    ];
    expect(read(table, places[first]!, places[last]!).asked).toEqual(own.slice(first, last));
    expect(read(table, places[first]!, to).asked).toEqual(own.slice(first));
  }
});

it("keeps equal lists of one question after another, however long, in pieces", () => {
  const table = new AnsweredQuestions();
  const questions = Int32Array.from({ length: 5000 }, (_, at) => at);
  const ends = [1, 2, 3].map(() => table.add(questions, questions));
  expect(table.kept).toBeLessThan(2.2 * questions.length);
  expect(read(table, ends[1]!, ends[2]!).asked).toEqual(Array.from(questions, (question) => [question, question]));
});

it("keeps a list once that begins otherwise, and is longer", () => {
  const table = new AnsweredQuestions();
  const asked = drawn(2000);
  for (let more = 0; more < 10; more++) {
    const before = Array.from({ length: more }, (_, at): Asked => [2 ** 25 + 16 * at, 0]);
    const { questions, answers } = listOf([...before, ...asked]);
    table.add(questions, answers);
  }
  expect(table.kept).toBeLessThan(2.5 * asked.length);
});

const ended = { verdict: { kind: "exit", code: 0 }, instructions: 1 } as unknown as RecoveryEnd;

/** Recoveries that part at their first question and ask the same from there on, but for one answer. */
function grow(tree: RecoveryTree, runs: number, length: number): void {
  const questions = Int32Array.from({ length }, (_, at) => 1 + at);
  const answers = new Int32Array(length);
  tree.fill(tree.root, Int32Array.from([0]), Int32Array.from([0]), ended);
  tree.part(tree.root, tree.read(tree.root));
  for (let run = 1; run <= runs; run++) {
    answers[(run * 7919) % length] = run;
    tree.fill(tree.way(tree.root, run), questions, answers, ended);
    answers[(run * 7919) % length] = 0;
  }
}

it("has room for many recoveries that ask alike where it has room for two", () => {
  const tree = new RecoveryTree(() => 0, 2 * 2 * 20_000);
  grow(tree, 30, 20_000);
  expect(tree.isFull).toBe(false);
  const [one, other] = [4, 17].map((run) => {
    const answers: number[] = [];
    for (const asked = tree.read(tree.way(tree.root, run)); asked.isMore; asked.pass()) answers.push(asked.answer);
    return answers;
  });
  expect(one!.indexOf(4)).toBe((4 * 7919) % 20_000);
  expect(one!.filter((answer) => answer !== 0)).toEqual([4]);
  expect(other!.filter((answer) => answer !== 0)).toEqual([17]);
});

it("is not full while memory has room: a hundred million questions and more", () => {
  const tree = new RecoveryTree(() => 0);
  grow(tree, 105, 1_000_000);
  expect(tree.isFull).toBe(false);
});

it("is full when what is asked differs and does not fit", () => {
  const tree = new RecoveryTree(() => 0, 100_000);
  for (let run = 0; !tree.isFull; run++) {
    expect(run).toBeLessThan(20);
    const stretch = run === 0 ? tree.root : tree.way(tree.root, run);
    const questions = Int32Array.from({ length: 5000 }, (_, at) => 5000 * run + at);
    tree.fill(stretch, questions, questions, ended);
    if (run === 0) tree.part(tree.root, tree.read(tree.root));
  }
  expect(tree.leaves.length).toBeGreaterThanOrEqual(9);
});
