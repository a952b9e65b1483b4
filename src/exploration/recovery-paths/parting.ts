/**
 * How recoveries part at one failure point: the tree of what they asked, as far as crash states of that point go different
 * ways through it. Always:
 * - Every crash state of the point goes one of the ways; those of a node are as many as its ways' together.
 * - Of large trees, the ways that the failing state passes by are told, and of the others so many: the rest only count.
 */

import type { RecoveryWays } from "../../crash/finding/index.ts";
import {
  foldedBit,
  type Held,
  type OtherAnswers,
  type PlannedPoints,
  type Question,
  type RecoveryTree,
  type Stretch,
  wordsPerLine,
} from "../../crash/recovery-tree/index.ts";
import type { Verdict } from "../../crash/states/index.ts";

/** Contents that a line may have, by line; lines that are not named may have all of their window. */
type Left = ReadonlyMap<number, readonly number[]>;

/** An answer that a question can get, and what it leaves of the lines. */
interface Part {
  readonly answer: number;
  readonly left: Left;
}

export interface PartingOptions {
  readonly planned: PlannedPoints;
  readonly others: OtherAnswers;
  readonly tree: RecoveryTree;
  readonly point: number;
  /** What lines hold in the state that fails; others hold every store. */
  readonly held: readonly Held[];
  fails(verdict: Verdict): boolean;
}

const mostNodes = 240;
const halfBytes = 4;

export class Parting {
  readonly #options: PartingOptions;
  readonly #held: ReadonlyMap<number, number>;
  readonly #open: readonly number[];
  #nodes = 0;

  constructor(options: PartingOptions) {
    this.#options = options;
    this.#held = new Map(options.held);
    const { points } = options.planned;
    const lines = Array.from({ length: points.lines }, (_, line) => line);
    this.#open = lines.filter((line) => this.#window(line)[0] !== this.#window(line)[1]);
  }

  ways(): RecoveryWays {
    return this.#from(this.#options.tree.root, new Map(), true, undefined);
  }

  #window(line: number): readonly [number, number] {
    return this.#options.planned.points.window(line, this.#options.point);
  }

  #contentsOf(line: number, left: Left): readonly number[] {
    const [low, high] = this.#window(line);
    return left.get(line) ?? Array.from({ length: high - low + 1 }, (_, at) => low + at);
  }

  #states(left: Left): number {
    const product = this.#open.reduce((states, line) => states * this.#contentsOf(line, left).length, 1);
    return Math.min(product, Number.MAX_SAFE_INTEGER);
  }

  /** Goes along stretches while there is one way to go; `leads`: the failing state comes here. */
  #from(first: Stretch, begin: Left, leads: boolean, read: RecoveryWays["read"]): RecoveryWays {
    this.#nodes++;
    let [stretch, left] = [first, begin];
    for (;;) {
      left = this.#along(stretch, left);
      const { next } = stretch;
      const node = { ...(read && { read }), states: this.#states(left) };
      if (next.kind === "awaited") return { ...node, ways: [] };
      if (next.kind === "leaf") {
        const { verdict } = next.ended;
        return { ...node, verdict, fails: this.#options.fails(verdict), ways: [] };
      }
      const parts = this.#parts(next.question, left);
      const [only, ...more] = parts;
      if (more.length > 0) {
        const goesOn = leads || this.#nodes < mostNodes;
        return { ...node, ways: goesOn ? this.#children(next.ways, next.question, parts, leads) : [] };
      }
      const way = only && next.ways.get(only.answer);
      if (only === undefined || way === undefined) return { ...node, ways: [] };
      [stretch, left] = [way, only.left];
    }
  }

  #children(
    ways: ReadonlyMap<number, Stretch>,
    question: Question,
    parts: readonly Part[],
    leads: boolean,
  ): readonly RecoveryWays[] {
    return parts.flatMap(({ answer, left }) => {
      const way = ways.get(answer);
      if (way === undefined) return [];
      const line = (question & ~foldedBit) >>> 4;
      const held = this.#held.get(line) ?? this.#window(line)[1];
      return [this.#from(way, left, leads && left.get(line)!.includes(held), this.#read(question, answer))];
    });
  }

  #isOfLine(question: Question): boolean {
    return question < this.#options.planned.points.lines * wordsPerLine;
  }

  #wordIn(content: number, question: Question): number {
    return this.#options.planned.points.contents.word(content, question & 15);
  }

  /** What is left when the stretch's questions are answered as it says. */
  #along(stretch: Stretch, left: Left): Left {
    const narrowed = new Map(left);
    for (const asked = this.#options.tree.read(stretch); asked.isMore; asked.pass()) {
      const question = asked.question & ~foldedBit;
      if (!this.#isOfLine(question)) continue;
      const line = question >>> 4;
      const [low, high] = this.#window(line);
      if (low === high) continue;
      narrowed.set(
        line,
        this.#contentsOf(line, narrowed).filter((content) => this.#wordIn(content, question) === asked.answer),
      );
    }
    return narrowed;
  }

  /** The answers that a question can get, and what each leaves of its line. */
  #parts(asked: Question, left: Left): readonly Part[] {
    const question = asked & ~foldedBit;
    const { planned, others, point } = this.#options;
    if (!this.#isOfLine(question))
      return [{ answer: others.answer(question - planned.points.lines * wordsPerLine, point), left }];
    const line = question >>> 4;
    const groups = new Map<number, number[]>();
    for (const content of this.#contentsOf(line, left)) {
      const answer = this.#wordIn(content, question);
      groups.set(answer, [...(groups.get(answer) ?? []), content]);
    }
    return [...groups].map(([answer, contents]) => ({ answer, left: new Map(left).set(line, contents) }));
  }

  #read(asked: Question, answer: number): NonNullable<RecoveryWays["read"]> {
    const question = asked & ~foldedBit;
    const { points } = this.#options.planned;
    const { file, index } = points.place(question >>> 4);
    const bytes = new Uint8Array(new Int32Array([answer]).buffer);
    return { path: points.tables.paths[file]!, offset: (index * wordsPerLine + (question & 15)) * halfBytes, bytes };
  }
}
