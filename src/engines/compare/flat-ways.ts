/**
 * The tree of recoveries as a list: a node for each stretch, with the answer that leads to it, and for each line that is asked for in it what a way
 * has seen of the line by its end. Always: what is below a node comes right behind it.
 */
import type { RecoveryTree, Stretch } from "../../crash/recovery-tree/index.ts";
import { GrowingWords } from "../../crash/recovery-tree/index.ts";
import type { LineViews, SeenView } from "./line-views.ts";

export interface FlatWays {
  readonly nodes: number;
  /** By node: the first one that is not below it. */
  readonly ends: Int32Array;
  /** By node, and one more: its first view. */
  readonly starts: Int32Array;
  readonly views: Int32Array;
  readonly isLeaf: readonly boolean[];
}

/** A stretch that is yet to be listed: what leads to it, and how much of what was seen counts there. */
interface Ahead {
  readonly stretch: Stretch;
  readonly answer: number | undefined;
  readonly parent: number;
  readonly seen: number;
}

class Flattening {
  readonly #tree: RecoveryTree;
  readonly #views: LineViews;
  /** By line, along the way: what was seen of it. */
  readonly #now: Int32Array;
  /** What is seen no more when the way is gone back: line and view, one after the other. */
  readonly #undo: number[] = [];
  /** By line: the last node that asked for it. */
  readonly #askedIn: Int32Array;
  readonly #parents: number[] = [];
  readonly #starts = new GrowingWords();
  readonly #seen = new GrowingWords();
  readonly #isLeaf: boolean[] = [];

  constructor(tree: RecoveryTree, views: LineViews, lines: number) {
    this.#tree = tree;
    this.#views = views;
    this.#now = Int32Array.from({ length: lines }, (_, line) => line);
    this.#askedIn = new Int32Array(lines).fill(-1);
  }

  ways(): FlatWays {
    const ahead: Ahead[] = [{ stretch: this.#tree.root, answer: undefined, parent: -1, seen: 0 }];
    for (let next = ahead.pop(); next !== undefined; next = ahead.pop()) this.#list(next, ahead);
    this.#starts.push(this.#seen.length);
    return {
      nodes: this.#parents.length,
      ends: this.#ends(),
      starts: this.#starts.words,
      views: this.#seen.words,
      isLeaf: this.#isLeaf,
    };
  }

  #list({ stretch, answer, parent, seen }: Ahead, ahead: Ahead[]): void {
    this.#goBack(seen);
    const node = this.#parents.push(parent) - 1;
    this.#starts.push(this.#seen.length);
    const lines: number[] = [];
    const fork = stretch.parent?.next;
    if (answer !== undefined && fork?.kind === "fork") this.#ask(fork.question, answer, node, lines);
    for (const asked = this.#tree.read(stretch); asked.isMore; asked.pass())
      this.#ask(asked.question, asked.answer, node, lines);
    for (const line of lines) this.#seen.push(this.#now[line]!);
    const { next } = stretch;
    this.#isLeaf.push(next.kind === "leaf");
    if (next.kind !== "fork") return;
    const length = this.#undo.length;
    for (const [other, way] of next.ways) ahead.push({ stretch: way, answer: other, parent: node, seen: length });
  }

  #ask(question: number, answer: number, node: number, lines: number[]): void {
    if (this.#views.isOther(question)) return this.#seen.push(this.#views.otherView(question, answer));
    const line = question >>> 4;
    if (this.#askedIn[line] !== node) {
      this.#askedIn[line] = node;
      this.#undo.push(line, this.#now[line]!);
      lines.push(line);
    }
    this.#now[line] = this.#views.with(this.#now[line]!, question, answer);
  }

  #goBack(length: number): void {
    while (this.#undo.length > length) {
      const view: SeenView = this.#undo.pop()!;
      this.#now[this.#undo.pop()!] = view;
    }
  }

  #ends(): Int32Array {
    const ends = Int32Array.from(this.#parents, (_, node) => node + 1);
    for (let node = ends.length - 1; node > 0; node--) {
      const parent = this.#parents[node]!;
      ends[parent] = Math.max(ends[parent]!, ends[node]!);
    }
    return ends;
  }
}

export const flatWays = (tree: RecoveryTree, views: LineViews, lines: number): FlatWays =>
  new Flattening(tree, views, lines).ways();
