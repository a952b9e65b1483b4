/**
 * Whether what recovery read on a way is what stores that persist in their order could have left (PSan, definitions 1 to 3). Always:
 * most ways are told to be in order at once: no line lacks a store, or none that was read has a later one.
 */
import type { Leaf, PlannedPoints, TreeWalker } from "../../crash/recovery-tree/index.ts";
import type { LineOnWay } from "./choices.ts";
import type { HappensBefore } from "./happens-before.ts";
import type { IsIgnored } from "./ignored.ts";
import { LineStores } from "./line-stores.ts";
import { type SeenEvent, StrictTwins, type WordsHeld } from "./strict-twins.ts";
import { type JudgedWay, judgeWay, type OrderViolation } from "./violations.ts";
import { WayReads } from "./way-reads.ts";

/** What each line may hold: contents by number, in order. */
type Held = (line: number) => ArrayLike<number>;

export interface WayInQuestion extends JudgedWay {
  /** Whether some crash of the same run, up to the same point, leaves these values while stores persist in their order. */
  readonly hasStrictTwin: () => boolean;
}

/** One crash state, on which recovery's way is known. */
export interface StateInOrder {
  readonly violations: readonly OrderViolation[];
  /** Whether recovery would have been answered the same after some crash while stores persist in their order. */
  readonly hasStrictTwin: boolean;
}

export class WayOrder {
  readonly #stores: LineStores;
  readonly #twins: StrictTwins;
  readonly #reads: WayReads;
  readonly #isInTurn: boolean;

  constructor(planned: PlannedPoints, order: HappensBefore, ignored?: IsIgnored) {
    this.#stores = new LineStores(planned, order, ignored);
    this.#twins = new StrictTwins(planned.points, this.#stores);
    this.#reads = new WayReads(planned.points.lines);
    this.#isInTurn = order.isInTurn;
  }

  /** Of the way to whose end the walker has come; undefined where every choice of stores is in order. */
  judge(leaf: Leaf, walker: TreeWalker): WayInQuestion | undefined {
    const contents = new Map(walker.narrowed());
    const missing = this.#firstMissing(contents, walker);
    if (missing === undefined) return undefined;
    const { lines, plain } = this.#reads.of(leaf, walker.way(), walker.tree);
    // What a checksum is found wrong for is not used.
    const reads = walker.failsChecksum ? plain : lines;
    const { high } = walker.view;
    const held = (line: number) => contents.get(line) ?? [high[line]!];
    if (this.#isInTurn && !this.#keepsLater(reads, held, missing)) return undefined;
    const judged = judgeWay(this.#lines(reads, held), this.#stores.threads);
    return judged && { ...judged, hasStrictTwin: () => this.#hasStrictTwin(reads, held, high) };
  }

  /** Of a state in which these lines hold less than all; undefined where its way was not gone. `seen`: the last such event before it. */
  judgeState(
    point: number,
    held: ReadonlyMap<number, number>,
    walker: TreeWalker,
    seen: SeenEvent | undefined,
  ): StateInOrder | undefined {
    const { stretch } = walker.find(point, [...held]);
    if (stretch.next.kind !== "leaf") return undefined;
    const { lines: reads, others } = this.#reads.of(stretch.next, walker.way(stretch), walker.tree);
    const { high } = walker.view;
    const contents = (line: number) => [held.get(line) ?? high[line]!];
    const { violations = [] } = judgeWay(this.#lines(reads, contents), this.#stores.threads) ?? {};
    const event = others ? seen : undefined;
    return { violations, hasStrictTwin: this.#hasStrictTwin(reads, contents, high, event) };
  }

  /** The first store that some state which comes here lacks. */
  #firstMissing(contents: ReadonlyMap<number, ArrayLike<number>>, { view }: TreeWalker): number | undefined {
    let first: number | undefined;
    for (const [line, held] of contents) {
      if (held[0] === view.high[line]) continue;
      const seq = this.#stores.firstMissing(line, held[0]!);
      if (seq !== undefined && (first === undefined || seq < first)) first = seq;
    }
    return first;
  }

  /** Whether a line that was read may have a store that is later than the first one that is missing. */
  #keepsLater(lines: Int32Array, held: Held, missing: number): boolean {
    for (let at = 0; at < lines.length; at += 2) {
      const contents = held(lines[at]!);
      if (this.#stores.lastKept(lines[at]!, contents[contents.length - 1]!) > missing) return true;
    }
    return false;
  }

  *#lines(lines: Int32Array, held: Held): Iterable<LineOnWay> {
    for (let at = 0; at < lines.length; at += 2) {
      const [line, words] = [lines[at]!, lines[at + 1]!];
      const view = this.#stores.view(line, words);
      yield { line, cuts: [...new Set(Array.from(held(line), (content) => view.bounds(content)))] };
    }
  }

  #hasStrictTwin(reads: Int32Array, held: Held, high: Int32Array, seen?: SeenEvent): boolean {
    const words: WordsHeld[] = [];
    for (let at = 0; at < reads.length; at += 2)
      words.push({ line: reads[at]!, words: reads[at + 1]!, content: held(reads[at]!)[0]! });
    return this.#twins.has(words, high, seen);
  }
}
