/**
 * What ways have seen of lines, so that ways which saw the same share one count. Views are numbers: one is another one and a word more, with its
 * answer. Always:
 * - View n, for each line n, is that of a way which has asked nothing of it.
 * - Of a line that is asked for, a view's choices are the different stores behind what it saw, among the contents that the line may hold and
 *   that agree with it; none when no content agrees.
 */
import {
  type AnswerNumber,
  type PlannedPoints,
  type Question,
  type TracePoints,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import { classesOfContents } from "./line-classes.ts";

export type SeenView = number;

const none = -1;

export class LineViews {
  readonly #planned: PlannedPoints;
  /** Questions about other things than lines. */
  readonly #firstOther: Question;
  readonly #otherThings: SeenView;
  readonly #above: SeenView[];
  readonly #questions: Question[];
  readonly #answers: AnswerNumber[];
  readonly #firstBelow: SeenView[];
  readonly #besides: SeenView[];
  /** By line and its words. */
  readonly #classes = new Map<number, Int32Array>();

  constructor(planned: PlannedPoints) {
    this.#planned = planned;
    const { lines } = planned.points;
    this.#firstOther = lines * wordsPerLine;
    this.#otherThings = lines;
    const empty = () => new Array<number>(lines + 1).fill(none);
    this.#above = empty();
    this.#questions = empty();
    this.#answers = empty();
    this.#firstBelow = empty();
    this.#besides = empty();
  }

  get count(): number {
    return this.#above.length;
  }

  /** Undefined where the view is of no line. */
  lineOf(view: SeenView): number | undefined {
    const question = this.#questions[view]!;
    return question < this.#firstOther ? question >>> 4 : undefined;
  }

  /** What was asked last, and its answer; numbers of other things as `OtherAnswers` has them. */
  other(view: SeenView): { readonly id: number; readonly answer: AnswerNumber } {
    return { id: this.#questions[view]! - this.#firstOther, answer: this.#answers[view]! };
  }

  isOther(question: Question): boolean {
    return question >= this.#firstOther;
  }

  otherView(question: Question, answer: AnswerNumber): SeenView {
    return this.with(this.#otherThings, question, answer);
  }

  with(view: SeenView, question: Question, answer: AnswerNumber): SeenView {
    for (let below = this.#firstBelow[view]!; below !== none; below = this.#besides[below]!)
      if (this.#questions[below] === question && this.#answers[below] === answer) return below;
    const made = this.#above.push(view) - 1;
    this.#questions.push(question);
    this.#answers.push(answer);
    this.#firstBelow.push(none);
    this.#besides.push(this.#firstBelow[view]!);
    this.#firstBelow[view] = made;
    return made;
  }

  /** Its choices at one point after another. */
  choices(view: SeenView): ViewChoices {
    const line = this.lineOf(view)!;
    const seen: (readonly [word: number, answer: AnswerNumber])[] = [];
    for (let at = view; this.#above[at] !== none; at = this.#above[at]!)
      seen.push([this.#questions[at]! & (wordsPerLine - 1), this.#answers[at]!]);
    const { points } = this.#planned;
    const contents = agreeing(points, line, seen);
    const [first] = points.contentsOf(line);
    const classes = this.#classesOf(
      line,
      seen.reduce((words, [word]) => words | (1 << word), 0),
    );
    return new ViewChoices(
      contents,
      contents.map((content) => classes[content - first]!),
    );
  }

  #classesOf(line: number, words: number): Int32Array {
    const key = line * 2 ** wordsPerLine + words;
    const known = this.#classes.get(key);
    if (known !== undefined) return known;
    const { points, stores } = this.#planned;
    const classes = classesOfContents(points, stores, line, words);
    this.#classes.set(key, classes);
    return classes;
  }
}

/** The contents of a line that give these answers, in order. */
function agreeing(
  points: TracePoints,
  line: number,
  seen: readonly (readonly [word: number, answer: AnswerNumber])[],
): Int32Array {
  const words = points.contents;
  const [first, end] = points.contentsOf(line);
  const contents: number[] = [];
  for (let content = first; content < end; content++)
    if (seen.every(([word, answer]) => words.word(content, word) === answer)) contents.push(content);
  return Int32Array.from(contents);
}

/** How many classes there are among a view's contents in a window that moves; going on costs the contents that come and go. */
export class ViewChoices {
  readonly #contents: Int32Array;
  readonly #classes: Int32Array;
  /** By class: how many contents in the window have it. */
  readonly #counts = new Map<number, number>();
  #from = 0;
  #to = 0;

  constructor(contents: Int32Array, classes: Int32Array) {
    this.#contents = contents;
    this.#classes = classes;
  }

  get count(): number {
    return this.#counts.size;
  }

  moveTo(low: number, high: number): void {
    const contents = this.#contents;
    while (this.#to < contents.length && contents[this.#to]! <= high) this.#count(this.#to++, 1);
    while (this.#to > 0 && contents[this.#to - 1]! > high) this.#count(--this.#to, -1);
    while (this.#from < contents.length && contents[this.#from]! < low) this.#count(this.#from++, -1);
    while (this.#from > 0 && contents[this.#from - 1]! >= low) this.#count(--this.#from, 1);
  }

  #count(at: number, more: number): void {
    const kind = this.#classes[at]!;
    const left = (this.#counts.get(kind) ?? 0) + more;
    if (left === 0) this.#counts.delete(kind);
    else this.#counts.set(kind, left);
  }
}
