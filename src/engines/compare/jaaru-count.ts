/**
 * How many executions Jaaru would take, without running them: at each point, for each way that recovery can go, the choices of stores that give the
 * answers along it. Lines are independent, so for each way it is a product over lines. From one point to the next, only lines are looked at whose
 * contents changed, and ways that no state of the point takes are left where they part. Always: a node is closed by each of its views that has no
 * choice, and a way can be gone where no node on it is closed.
 */
import {
  type OtherAnswers,
  type PlannedPoints,
  PointView,
  type RecoveryTree,
} from "../../crash/recovery-tree/index.ts";
import { type FlatWays, flatWays } from "./flat-ways.ts";
import { LineViews, type SeenView, type ViewChoices } from "./line-views.ts";
import { NodesByView } from "./nodes-by-view.ts";

const unseen = -1;

class PointCount {
  readonly #others: OtherAnswers;
  readonly #views: LineViews;
  readonly #ways: FlatWays;
  readonly #nodesOf: NodesByView;
  readonly #view: PointView;
  /** By view: how many choices it leaves at this point. */
  readonly #choices: Int32Array;
  /** Views of a line, and how they are counted. */
  readonly #ofLine = new Map<number, (readonly [SeenView, ViewChoices])[]>();
  readonly #ofOthers: SeenView[] = [];
  /** By node: how many of its views have no choice. */
  readonly #closed: Int32Array;
  /** By line that may hold several contents: what the way has seen of it. */
  readonly #seen: Int32Array;

  constructor(planned: PlannedPoints, tree: RecoveryTree, others: OtherAnswers) {
    const { points } = planned;
    this.#others = others;
    this.#views = new LineViews(planned);
    this.#ways = flatWays(tree, this.#views, points.lines);
    this.#nodesOf = new NodesByView(this.#ways, this.#views.count);
    this.#view = new PointView(points);
    this.#choices = new Int32Array(this.#views.count).fill(1);
    this.#closed = new Int32Array(this.#ways.nodes);
    this.#seen = new Int32Array(points.lines).fill(unseen);
    for (let view = points.lines + 1; view < this.#views.count; view++) if (this.#nodesOf.has(view)) this.#add(view);
    for (const line of this.#ofLine.keys()) this.#changeLine(line);
  }

  #add(view: SeenView): void {
    const line = this.#views.lineOf(view);
    if (line === undefined) this.#ofOthers.push(view);
    else {
      const known = this.#ofLine.get(line) ?? [];
      known.push([view, this.#views.choices(view)]);
      this.#ofLine.set(line, known);
    }
  }

  at(point: number): bigint {
    const changed = new Set<number>();
    this.#view.moveTo(point, (line) => changed.add(line));
    for (const line of changed) this.#changeLine(line);
    if (point === 0 || this.#others.mayDiffer(point)) this.#changeOthers();
    return this.#count();
  }

  #changeLine(line: number): void {
    const [low, high] = [this.#view.low[line]!, this.#view.high[line]!];
    for (const [view, choices] of this.#ofLine.get(line) ?? []) {
      choices.moveTo(low, high);
      this.#set(view, low === high ? Math.min(choices.count, 1) : choices.count);
    }
  }

  #changeOthers(): void {
    for (const view of this.#ofOthers) {
      const { id, answer } = this.#views.other(view);
      this.#set(view, this.#others.answer(id, this.#view.point) === answer ? 1 : 0);
    }
  }

  #set(view: SeenView, choices: number): void {
    const before = this.#choices[view]!;
    this.#choices[view] = choices;
    if ((before === 0) === (choices === 0)) return;
    const more = choices === 0 ? 1 : -1;
    for (const node of this.#nodesOf.nodes(view)) this.#closed[node]! += more;
  }

  /** Goes every way of the point, by nodes. */
  #count(): bigint {
    const { nodes, ends, isLeaf } = this.#ways;
    /** The nodes on the way: where what is below them ends, and how many lines had been seen before. */
    const way: { readonly end: number; readonly seen: number }[] = [];
    /** Line and what was seen of it before, one after the other. */
    const undo: number[] = [];
    let sum = 0n;
    for (let node = 0; node < nodes; ) {
      for (let last = way.at(-1); last !== undefined && last.end <= node; last = way.at(-1)) {
        this.#forget(undo, last.seen);
        way.pop();
      }
      if (this.#closed[node]! > 0) {
        node = ends[node]!;
        continue;
      }
      way.push({ end: ends[node]!, seen: undo.length });
      this.#see(node, undo);
      if (isLeaf[node]) sum += this.#product(undo);
      node++;
    }
    this.#forget(undo, 0);
    return sum;
  }

  #see(node: number, undo: number[]): void {
    const { starts, views } = this.#ways;
    const { low, high } = this.#view;
    for (let at = starts[node]!; at < starts[node + 1]!; at++) {
      const view = views[at]!;
      const line = this.#views.lineOf(view);
      if (line === undefined || low[line] === high[line]) continue;
      undo.push(line, this.#seen[line]!);
      this.#seen[line] = view;
    }
  }

  #forget(undo: number[], length: number): void {
    while (undo.length > length) {
      const before = undo.pop()!;
      this.#seen[undo.pop()!] = before;
    }
  }

  #product(undo: readonly number[]): bigint {
    let product = 1n;
    for (let at = 0; at < undo.length; at += 2)
      if (undo[at + 1] === unseen) product *= BigInt(this.#choices[this.#seen[undo[at]!]!]!);
    return product;
  }
}

/** For a tree that has every way of every point. */
export function jaaruExecutions(planned: PlannedPoints, tree: RecoveryTree, others: OtherAnswers): bigint {
  const count = new PointCount(planned, tree, others);
  let sum = 0n;
  for (let point = 0; point < planned.points.count; point++) sum += count.at(point);
  return sum;
}
