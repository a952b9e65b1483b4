/** The nodes that have each view, as one table. */
import type { FlatWays } from "./flat-ways.ts";
import type { SeenView } from "./line-views.ts";

export class NodesByView {
  /** By view, and one more: its first node. */
  readonly #starts: Int32Array;
  readonly #nodes: Int32Array;

  constructor({ nodes, starts, views }: FlatWays, count: number) {
    this.#starts = new Int32Array(count + 1);
    for (const view of views) this.#starts[view + 1]!++;
    for (let view = 0; view < count; view++) this.#starts[view + 1]! += this.#starts[view]!;
    this.#nodes = new Int32Array(views.length);
    const next = this.#starts.slice();
    for (let node = 0; node < nodes; node++)
      for (let at = starts[node]!; at < starts[node + 1]!; at++) this.#nodes[next[views[at]!]!++] = node;
  }

  has(view: SeenView): boolean {
    return this.#starts[view] !== this.#starts[view + 1];
  }

  nodes(view: SeenView): Int32Array {
    return this.#nodes.subarray(this.#starts[view], this.#starts[view + 1]);
  }
}
