/**
 * What came of recoveries that were judged, by the point and by what the lines held that they read. Always: what recovery
 * reads next depends on nothing but what it has read, so that one which finds the same in all lines that another one read
 * is that one again, whatever the other lines hold.
 */
import { assert } from "../../base/index.ts";
import type { Held } from "../../crash/recovery-tree/index.ts";

/** A recovery on one state of its point, and what came of it. */
export interface KnownRecovery<Told> {
  /** What lines hold that lack something, by line in rising order. */
  readonly held: readonly Held[];
  /** Those that it read and that could lack something, in the order of their first reads. */
  readonly lines: readonly number[];
  readonly told: Told;
}

/** Recoveries that differ first in what this line held, which all of them read at this position. */
interface Parting<Told> {
  readonly line: number;
  readonly at: number;
  readonly by: Map<number, Node<Told>>;
}

type Node<Told> = KnownRecovery<Told> | Parting<Told>;

const isParting = <Told>(node: Node<Told> | undefined): node is Parting<Told> => node !== undefined && "by" in node;

/** The content of a line that lacks nothing. */
export const whole = -1;

export function contentIn(held: readonly Held[], line: number): number {
  let [from, to] = [0, held.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (held[middle]![0] < line) from = middle + 1;
    else to = middle;
  }
  return held[from]?.[0] === line ? held[from]![1] : whole;
}

export class KnownRecoveries<Told> {
  readonly #byPoint = new Map<number, Node<Told>>();
  /** How many more are kept. */
  #room: number;

  constructor(room: number) {
    this.#room = room;
  }

  /** The recovery on this state, if it is known. */
  find(point: number, held: readonly Held[]): KnownRecovery<Told> | undefined {
    let node = this.#byPoint.get(point);
    while (isParting(node)) node = node.by.get(contentIn(held, node.line));
    return node !== undefined && partingOf(node, held) < 0 ? node : undefined;
  }

  /** One that begins as the recovery on this state does: none that is known has more of its lines in common with it. */
  nearest(point: number, held: readonly Held[]): KnownRecovery<Told> | undefined {
    let node = this.#byPoint.get(point);
    while (isParting(node)) node = node.by.get(contentIn(held, node.line)) ?? node.by.values().next().value;
    return node;
  }

  /** One that is not known. */
  add(point: number, added: KnownRecovery<Told>): void {
    if (this.#room === 0) return;
    this.#room--;
    const near = this.nearest(point, added.held);
    if (near === undefined) {
      this.#byPoint.set(point, added);
      return;
    }
    const at = partingOf(near, added.held);
    const line = near.lines[at];
    assert(line !== undefined && added.lines[at] === line, "recoveries part at a line that both have read");
    let put = (node: Node<Told>): void => void this.#byPoint.set(point, node);
    let node = this.#byPoint.get(point)!;
    while (isParting(node) && node.at < at) {
      const { by } = node;
      const content = contentIn(added.held, node.line);
      put = (next) => void by.set(content, next);
      node = by.get(content)!;
    }
    if (isParting(node) && node.at === at) node.by.set(contentIn(added.held, line), added);
    else
      put({
        line,
        at,
        by: new Map([
          [contentIn(near.held, line), node],
          [contentIn(added.held, line), added],
        ]),
      });
  }
}

/** The position of the first line that the recovery read and that this state has otherwise; less than 0 where there is none. */
const partingOf = <Told>({ held: as, lines }: KnownRecovery<Told>, held: readonly Held[]): number =>
  lines.findIndex((line) => contentIn(held, line) !== contentIn(as, line));
