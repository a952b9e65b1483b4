/**
 * Goes every way through one tree of recoveries that some state of an aftermath takes, and asks for the runs that are not
 * known yet: what crash/recovery-tree/walker.ts does for the crashes of one trace, for crashes inside recoveries too. Always:
 * - Along a way, each line has the contents that agree with all that was answered of it.
 * - One run is asked for each way that no state has gone before, whatever crashes left it.
 */

import {
  type AnswerNumber,
  type Folds,
  foldedWays,
  type Leaf,
  type OtherQuestion,
  plainWays,
  type Question,
  RecoveryTree,
  type Stretch,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import type { RecoveryEnd } from "../../crash/states/index.ts";
import type { Aftermath, LineNumbers } from "./aftermath.ts";
import { type AskedNumber, askedWord } from "./asked-words.ts";
import { bestOf, type Content, type Contents, type LineSet, setOf } from "./contents.ts";
import type { FileAnswers } from "./files-after.ts";

/** What is left of lines along a way: a list that shares its beginning with other ways'. */
interface Narrowed {
  readonly above: Narrowed | undefined;
  readonly line: number;
  readonly set: LineSet;
}

interface Item {
  readonly aftermath: Aftermath;
  readonly stretch: Stretch;
  readonly narrowed: Narrowed | undefined;
  readonly folds: Folds;
  /** Questions before the stretch. */
  readonly depth: number;
}

/** A run that is needed, on the state in which the lines hold the best that they can. */
export interface UnknownState {
  readonly aftermath: Aftermath;
  readonly lines: ReadonlyMap<number, LineSet>;
  readonly depth: number;
  readonly stretch: Stretch;
}

export interface AftermathHooks {
  /** States in which lines hold one of these each end here. */
  reached(leaf: Leaf, aftermath: Aftermath, lines: ReadonlyMap<number, LineSet>): void;
  /** Nothing is left to do for an aftermath; what `reached` began comes first. */
  done(aftermath: Aftermath): void;
}

/** Bit 30 of a question about a line: a checksum is being taken. */
const foldedBit = 1 << 30;

export class AftermathWalker {
  readonly tree = new RecoveryTree(() => 0);
  readonly #numbers: LineNumbers;
  readonly #answers: FileAnswers;
  readonly #contents: Contents;
  readonly #hooks: AftermathHooks;
  readonly #texts: OtherQuestion[] = [];
  readonly #textNumbers = new Map<OtherQuestion, number>();
  readonly #stack: Item[] = [];
  readonly #waiting = new Map<Stretch, Item[]>();
  /** By aftermath: items on the stack and waiting. */
  readonly #items = new Map<Aftermath, number>();
  /** By files, what lines hold that nobody stored to. */
  readonly #untouched = new Map<string, LineSet>();
  walked = 0;

  constructor(numbers: LineNumbers, answers: FileAnswers, contents: Contents, hooks: AftermathHooks) {
    this.#numbers = numbers;
    this.#answers = answers;
    this.#contents = contents;
    this.#hooks = hooks;
  }

  begin(aftermath: Aftermath): void {
    this.#push({ aftermath, stretch: this.tree.root, narrowed: undefined, folds: "none", depth: 0 });
  }

  /** Goes on until a run is needed; undefined when nothing is left but to wait. */
  next(): UnknownState | undefined {
    for (let item = this.#stack.pop(); item !== undefined; item = this.#stack.pop()) {
      const way = this.#go(item);
      this.#done(item.aftermath);
      if (way !== undefined) return way;
    }
    return undefined;
  }

  get waiting(): number {
    return this.#stack.length;
  }

  /** A run that was asked for has told how it goes on from there: on a state that has these words and answers. */
  told(
    stretch: Stretch,
    asked: readonly AskedNumber[],
    texts: readonly string[],
    state: StateAnswers,
    ended: RecoveryEnd,
  ) {
    const questions = Int32Array.from(asked, (each) => this.#question(each, texts));
    const answers = questions.map((question) => this.#answerOf(question, state));
    this.tree.fill(stretch, questions, answers, ended);
    const waiting = this.#waiting.get(stretch) ?? [];
    this.#waiting.delete(stretch);
    for (const item of waiting) this.#stack.push(item);
  }

  /** The way that a state takes, as far as it is known. */
  find(state: StateAnswers): { readonly stretch: Stretch; readonly depth: number } {
    let [stretch, depth] = [this.tree.root, 0];
    for (;;) {
      const asked = this.tree.read(stretch);
      while (asked.isMore && this.#answerOf(asked.question, state) === asked.answer) asked.pass();
      depth += asked.passed;
      if (asked.isMore) this.tree.part(stretch, asked);
      if (stretch.next.kind !== "fork") return { stretch, depth };
      stretch = this.tree.way(stretch, this.#answerOf(stretch.next.question, state));
      depth++;
    }
  }

  #push(item: Item): void {
    this.#items.set(item.aftermath, (this.#items.get(item.aftermath) ?? 0) + 1);
    this.#stack.push(item);
  }

  #done(aftermath: Aftermath): void {
    const left = this.#items.get(aftermath)! - 1;
    this.#items.set(aftermath, left);
    if (left > 0) return;
    this.#items.delete(aftermath);
    this.#hooks.done(aftermath);
  }

  // ── Questions ───────────────────────────────────────────────────────────────────────────────────────────────

  #question(asked: AskedNumber, texts: readonly string[]): Question {
    if (asked < 0) return -1 - this.#textNumber(texts[-1 - asked]!);
    const { file, word, isFolded } = askedWord(asked);
    const line = this.#numbers.of(file, Math.floor(word / wordsPerLine));
    return (line * wordsPerLine + (word % wordsPerLine)) | (isFolded ? foldedBit : 0);
  }

  #textNumber(text: OtherQuestion): number {
    const number = this.#textNumbers.get(text) ?? this.#texts.push(text) - 1;
    this.#textNumbers.set(text, number);
    return number;
  }

  #answerOf(question: Question, { files, point, words }: StateAnswers): AnswerNumber {
    if (question < 0) return this.#answers.answer(this.#texts[-1 - question]!, files, point);
    const plain = question & ~foldedBit;
    const line = Math.floor(plain / wordsPerLine);
    return (words(line) ?? bestOf(this.#untouchedSet(line, files)).words)[plain % wordsPerLine]!;
  }

  #untouchedSet(line: number, files: Aftermath["files"]): LineSet {
    const key = `${line} ${files.key}`;
    const known = this.#untouched.get(key);
    if (known !== undefined) return known;
    const { file, index } = this.#numbers.place(line);
    const bytes = this.#answers.line(file, index, files);
    const set = setOf([this.#contents.untouched(new Int32Array(bytes.slice().buffer))]);
    this.#untouched.set(key, set);
    return set;
  }

  // ── Going ───────────────────────────────────────────────────────────────────────────────────────────────────

  /** Goes one way to its end, and puts those that part from it on the stack. */
  #go(item: Item): UnknownState | undefined {
    let { stretch, narrowed, folds, depth } = item;
    const { aftermath } = item;
    for (;;) {
      if (stretch.next.kind === "awaited") return this.#wait({ aftermath, stretch, narrowed, folds, depth });
      const passed = this.#pass(stretch, aftermath, narrowed);
      depth += passed;
      if (stretch.next.kind === "leaf") {
        this.#hooks.reached(stretch.next, aftermath, linesAlong(aftermath, narrowed));
        return undefined;
      }
      const taken: Item = this.#choose({ aftermath, stretch, narrowed, folds, depth });
      ({ stretch, narrowed, folds, depth } = taken);
    }
  }

  #wait(item: Item): UnknownState | undefined {
    const { stretch, aftermath, narrowed, depth } = item;
    if (stretch.next.kind !== "awaited") return undefined;
    this.#items.set(aftermath, this.#items.get(aftermath)! + 1);
    this.#waiting.set(stretch, [...(this.#waiting.get(stretch) ?? []), item]);
    if (stretch.next.requested) return undefined;
    stretch.next.requested = true;
    return { aftermath, lines: linesAlong(aftermath, narrowed), depth, stretch };
  }

  /** Goes along a stretch while its answers are the only ones; where others are possible, it is parted. */
  #pass(stretch: Stretch, aftermath: Aftermath, narrowed: Narrowed | undefined): number {
    const asked = this.tree.read(stretch);
    while (asked.isMore && this.#only(asked.question, aftermath, narrowed) === asked.answer) asked.pass();
    this.walked += asked.passed;
    if (asked.isMore) this.tree.part(stretch, asked);
    return asked.passed;
  }

  /** The one answer that is possible; undefined when there are several. */
  #only(question: Question, aftermath: Aftermath, narrowed: Narrowed | undefined): AnswerNumber | undefined {
    if (question < 0) return this.#answers.answer(this.#texts[-1 - question]!, aftermath.files, aftermath.point);
    const plain = question & ~foldedBit;
    const { contents } = this.#setOf(Math.floor(plain / wordsPerLine), aftermath, narrowed);
    const word = plain % wordsPerLine;
    const first = contents[0]!.words[word]!;
    for (let i = 1; i < contents.length; i++) if (contents[i]!.words[word] !== first) return undefined;
    return first;
  }

  #setOf(line: number, { lines, files }: Aftermath, narrowed: Narrowed | undefined): LineSet {
    for (let node = narrowed; node !== undefined; node = node.above) if (node.line === line) return node.set;
    return lines.get(line) ?? this.#untouchedSet(line, files);
  }

  /** Takes one of the ways at a fork, and puts the others on the stack. */
  #choose({ aftermath, stretch, narrowed, folds, depth }: Item): Item {
    const question = stretch.next.kind === "fork" ? stretch.next.question : 0;
    const only = this.#only(question, aftermath, narrowed);
    this.walked++;
    const item = { aftermath, narrowed, folds, depth: depth + 1 };
    if (only !== undefined) return { ...item, stretch: this.tree.way(stretch, only) };
    const plain = question & ~foldedBit;
    const line = Math.floor(plain / wordsPerLine);
    const { contents } = this.#setOf(line, aftermath, narrowed);
    const groups = groupsOf(contents, plain % wordsPerLine);
    const ways = question === plain ? plainWays(groups, folds) : foldedWays(groups, folds);
    const [first, ...others] = ways.map((way): Item => {
      const set = setOf(way.contents.map((at) => contents[at]!));
      const own = { ...item, narrowed: { above: narrowed, line, set }, folds: way.folds };
      return { ...own, stretch: this.tree.way(stretch, way.answer) };
    });
    for (const other of others) this.#push(other);
    return first!;
  }
}

/** One state: what its lines hold that anybody stored to. */
export interface StateAnswers {
  readonly files: Aftermath["files"];
  readonly point: number;
  words(line: number): Int32Array | undefined;
}

/** Places in the set by what they answer, in the order in which answers first come. */
function groupsOf(contents: readonly Content[], word: number): ReadonlyMap<AnswerNumber, number[]> {
  const groups = new Map<AnswerNumber, number[]>();
  for (const [at, { words }] of contents.entries()) {
    const answer = words[word]!;
    const group = groups.get(answer);
    if (group === undefined) groups.set(answer, [at]);
    else group.push(at);
  }
  return groups;
}

/** What a way leaves of the aftermath's lines. */
function linesAlong({ lines }: Aftermath, narrowed: Narrowed | undefined): ReadonlyMap<number, LineSet> {
  if (narrowed === undefined) return lines;
  const left = new Map<number, LineSet>();
  for (let node: Narrowed | undefined = narrowed; node !== undefined; node = node.above)
    if (!left.has(node.line)) left.set(node.line, node.set);
  return new Map([...lines].map(([line, set]) => [line, left.get(line) ?? set]));
}
