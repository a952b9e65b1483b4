/**
 * Ways of recoveries that are known from other runs of the same program: one tree for all schedules. Always:
 * - A way answers for a crash state if the state gives every answer along it: then recovery does the same, whatever run the state is of.
 *   Answers are contents and digests of contents, equal in any trace.
 * - A way names everything that its recovery read: lines that its own run never stored to as a whole, and every name.
 * - Runs that stored to the same lines share a tree: questions stand in it as recoveries asked them, and each run has all of them.
 */

import {
  type Asked,
  type Held,
  type OtherAnswers,
  PointView,
  type Question,
  RecoveryTree,
  type Stretch,
  type TracePoints,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import type { RecoveryEnd } from "../../crash/states/index.ts";

/** Numbers for texts, each once. */
class Numbered {
  readonly #numbers = new Map<string, number>();
  readonly texts: string[] = [];

  of(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.texts.length);
    return this.texts.push(text) - 1;
  }
}

type Answer = (question: number) => number;

/** Of all runs that stored to the same lines. A line is its place in their common order. */
class CommonTree {
  readonly #tree = new RecoveryTree(() => 0);
  readonly others = new Numbered();
  readonly digests = new Numbered();

  /** Where the way of a state ends that gives these answers, as far as it is known. */
  find(answer: Answer): { readonly stretch: Stretch; readonly asked: readonly number[] } {
    const asked: number[] = [];
    for (let stretch = this.#tree.root; ; ) {
      const known = this.#tree.read(stretch);
      for (; known.isMore && answer(known.question) === known.answer; known.pass()) asked.push(known.question);
      if (known.isMore) this.#tree.part(stretch, known);
      if (stretch.next.kind !== "fork") return { stretch, asked };
      const { question } = stretch.next;
      asked.push(question);
      stretch = this.#tree.way(stretch, answer(question));
    }
  }

  /** A full tree learns nothing more: what it does not know is run. */
  add(asked: readonly number[], answer: Answer, ended: RecoveryEnd): void {
    if (this.#tree.isFull) return;
    const known = this.find(answer);
    if (known.stretch.next.kind !== "awaited" || !beginsWith(asked, known.asked)) return;
    const rest = Int32Array.from(asked.slice(known.asked.length));
    this.#tree.fill(known.stretch, rest, rest.map(answer), ended);
  }
}

const beginsWith = (list: ArrayLike<number>, first: ArrayLike<number>): boolean =>
  first.length <= list.length && Array.from(first).every((each, at) => list[at] === each);

/** What all runs of an exploration know together. */
export class SharedWays {
  readonly #trees = new Map<string, CommonTree>();

  /** Of a run that stored to these lines, and changed these files by calls. */
  tree(lines: readonly string[]): CommonTree {
    const key = lines.join("\n");
    const tree = this.#trees.get(key) ?? new CommonTree();
    this.#trees.set(key, tree);
    return tree;
  }
}

/** One run's part in it. Its lines are numbered as it first stored to them, the common ones by their places. */
export class SharedRun {
  readonly #tree: CommonTree;
  readonly #points: TracePoints;
  readonly #others: OtherAnswers;
  readonly #view: PointView;
  /** From the run's own number of a line to the common one, and back. */
  readonly #common: Int32Array;
  readonly #own: Int32Array;

  constructor(ways: SharedWays, points: TracePoints, others: OtherAnswers) {
    this.#points = points;
    this.#others = others;
    this.#view = new PointView(points);
    const { paths, varied } = points.tables;
    const places = Array.from({ length: points.lines }, (_, line) => {
      const { file, index } = points.place(line);
      return { line, place: `${index} ${paths[file]}` };
    }).sort((a, b) => (a.place < b.place ? -1 : 1));
    this.#own = Int32Array.from(places, ({ line }) => line);
    this.#common = new Int32Array(points.lines);
    for (const [at, { line }] of places.entries()) this.#common[line] = at;
    const byCalls = paths.flatMap((path, file) =>
      varied[file]!.length === 0 ? [] : [`changed by calls: ${varied[file]} of ${path}`],
    );
    this.#tree = ways.tree([...places.map(({ place }) => place), ...byCalls]);
  }

  get #firstOther(): Question {
    return this.#points.lines * wordsPerLine;
  }

  /** What a recovery on this state asks that is asked `first` so far, and how it ends; undefined when no run has shown it. */
  known(
    point: number,
    held: readonly Held[],
    first: ArrayLike<Question>,
  ): { asked: Asked; ended: RecoveryEnd } | undefined {
    const { stretch, asked } = this.#tree.find(this.#answers(point, held));
    if (stretch.next.kind !== "leaf" || !beginsWith(asked, this.#shared(first))) return undefined;
    const texts: string[] = [];
    const questions = Int32Array.from(asked.slice(first.length), (question) =>
      question < this.#firstOther
        ? this.#own[question >>> 4]! * wordsPerLine + (question & (wordsPerLine - 1))
        : -texts.push(this.#fileByNumber(this.#tree.others.texts[question - this.#firstOther]!)),
    );
    return { asked: { questions, texts }, ended: stretch.next.ended };
  }

  /** A recovery on this state asked these, by this run's numbers. */
  add(point: number, held: readonly Held[], asked: ArrayLike<Question>, ended: RecoveryEnd): void {
    this.#tree.add(this.#shared(asked), this.#answers(point, held), ended);
  }

  #shared(asked: ArrayLike<Question>): readonly number[] {
    return Array.from(asked, (question) =>
      question < this.#firstOther
        ? this.#common[question >>> 4]! * wordsPerLine + (question & (wordsPerLine - 1))
        : this.#firstOther + this.#tree.others.of(this.#fileByPath(this.#others.text(question - this.#firstOther))),
    );
  }

  /** A question about a line of a file names the file: each run numbers files as it maps them. */
  #fileByPath(text: string): string {
    const [, file, index] = /^=(\d+) (\d+)$/.exec(text) ?? [];
    return file === undefined ? text : `=${index} ${this.#points.tables.paths[Number(file)]}`;
  }

  #fileByNumber(text: string): string {
    const [, index, path] = /^=(\d+) (.*)$/s.exec(text) ?? [];
    return path === undefined ? text : `=${this.#points.tables.paths.indexOf(path)} ${index}`;
  }

  #answers(point: number, held: readonly Held[]): Answer {
    this.#view.moveTo(point);
    const { high } = this.#view;
    const holds = new Map(held);
    const { contents } = this.#points;
    return (question) => {
      if (question >= this.#firstOther) {
        const text = this.#fileByNumber(this.#tree.others.texts[question - this.#firstOther]!);
        return this.#tree.digests.of(text.startsWith("=-") ? text : this.#others.digest(text, point));
      }
      const line = this.#own[question >>> 4]!;
      return contents.word(holds.get(line) ?? high[line]!, question & (wordsPerLine - 1));
    };
  }
}
