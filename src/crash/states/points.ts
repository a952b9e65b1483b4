/**
 * Failure points: where a crash is considered (Mumak, section 4.1). Always:
 * - A point lies before its event, and something that recovery can see has changed since the point before: persistent
 *   memory, what was printed, or a file. The end is a point whenever there was a store.
 * - File calls and output count as durable at once and in order; there are no points before the first store.
 * - Unless every dynamic point is asked for, each place with its calls counts once: the leaves of the failure-point tree.
 */
import type { ContextTree } from "../../trace/events/index.ts";
import type { EventKind } from "../../trace/record/index.ts";

export type Granularity = "flush" | "store";

/** What identifies a crash's moment in a trace, whatever plan it is a point of: numbers of points are a plan's own. */
export interface PointId {
  /** The crash comes after all events before this one. */
  readonly seq: number;
  /** The files' version, where it is not the newest that events before this one made: a file call is still to come. */
  readonly version?: number;
}

export interface FailurePoint extends PointId {
  /** An event, a file call, or the end. */
  readonly before: EventKind | "call" | "end";
  readonly thread: number;
  readonly site: number;
  readonly stack: number;
  /** An instance of its place other than the first: fewer of its crash states are looked at. */
  readonly repeated?: true;
}

/** What was printed is a promise: before an output it is not made yet, after it, it is owed. */
const persistency: readonly EventKind[] = [
  ...(["clflush", "clflushopt", "clwb", "sfence", "mfence", "locked", "msync"] as const),
  "output",
];

/**
 * bound: only where the event makes more stores sure to survive. What else a crash can leave, one at such a point or at the
 * end leaves too (docs/MODEL.md §2, "Crash points").
 */
export type PointRule = Granularity | "bound";

/** The kinds of events that a crash is considered before. */
export const pointKinds: Readonly<Record<PointRule, ReadonlySet<EventKind>>> = {
  bound: new Set(persistency),
  flush: new Set(persistency),
  store: new Set<EventKind>([...persistency, "store", "non-temporal"]),
};

export interface PointNode {
  readonly site: number;
  readonly children: PointNode[];
}

/** The calling contexts of the points taken so far, as a tree from the outermost call to the place itself. */
export class FailurePointTree {
  readonly #contexts: ContextTree;
  readonly #known = new Set<string>();
  readonly root: PointNode = { site: 0, children: [] };

  constructor(contexts: ContextTree) {
    this.#contexts = contexts;
  }

  get size(): number {
    return this.#known.size;
  }

  /** False when a point with the same place and calls is there already. */
  add({ site, stack }: Pick<FailurePoint, "site" | "stack">): boolean {
    const key = `${stack} ${site}`;
    if (this.#known.has(key)) return false;
    this.#known.add(key);
    let node = this.root;
    for (const call of [...this.#contexts.stack(stack).reverse(), site]) {
      const below = node.children.find((child) => child.site === call) ?? { site: call, children: [] };
      if (!node.children.includes(below)) node.children.push(below);
      node = below;
    }
    return true;
  }
}
