/** Looks for ways of recovery that read what no crash under strict persistency leaves (PSan, definitions 1 to 3). */
import type { Finding } from "../../finding/index.ts";
import { type Leaf, type PlannedPoints, type TreeWalker, wordsPerLine } from "../../tree/index.ts";
import type { WayWatcher } from "../../ways/index.ts";
import type { LeadScene } from "../../work/index.ts";
import type { LineOnWay } from "./choices.ts";
import { findingsOf } from "./findings.ts";
import { happensBeforeIn } from "./happens-before.ts";
import { LineStores } from "./line-stores.ts";
import { OrderPairs } from "./pairs.ts";
import { isStrict, judgeWay } from "./violations.ts";
import { type Reads, WayReads } from "./way-reads.ts";

export class RobustWatch implements WayWatcher {
  readonly #scene: LeadScene;
  readonly #planned: PlannedPoints;
  readonly #stores: LineStores;
  readonly #reads: WayReads;
  readonly #violating = new Set<number>();
  readonly pairs = new OrderPairs();

  constructor(scene: LeadScene, planned: PlannedPoints) {
    this.#scene = scene;
    this.#planned = planned;
    this.#stores = new LineStores(planned, happensBeforeIn(scene.trace));
    this.#reads = new WayReads(planned.points.lines);
  }

  get found(): number {
    return this.pairs.count;
  }

  /** Different ways that read what strict persistency does not leave. */
  get violating(): number {
    return this.#violating.size;
  }

  reached(leaf: Leaf, point: number, walker: TreeWalker): void {
    const contents = new Map(walker.narrowed());
    const missing = this.#firstMissing(contents, walker);
    if (missing === undefined) return;
    const reads = this.#reads.of(leaf, walker);
    const { high } = walker.view;
    const held = (line: number) => contents.get(line) ?? [high[line]!];
    if (!this.#keepsLater(reads, held, missing)) return;
    const judged = judgeWay(this.#lines(reads, held), this.#stores.threads);
    if (judged === undefined) return;
    this.#violating.add(leaf.number);
    const isError = judged.isCertain && this.pairs.wants(judged.violations) && !this.#hasStrictTwin(reads, held, high);
    this.pairs.add(judged.violations, point, isError, this.#planned.points);
  }

  /** The first store that some state which comes here lacks. */
  #firstMissing(contents: ReadonlyMap<number, ArrayLike<number>>, { view }: TreeWalker): number | undefined {
    let first: number | undefined;
    for (const [line, [least]] of contents as ReadonlyMap<number, readonly number[]>) {
      if (least === view.high[line]) continue;
      const seq = this.#stores.firstMissing(line, least!);
      if (seq !== undefined && (first === undefined || seq < first)) first = seq;
    }
    return first;
  }

  /** Whether a line that was read may have a store that is later than the first one that is missing. */
  #keepsLater(reads: Reads, held: (line: number) => ArrayLike<number>, missing: number): boolean {
    for (let at = 0; at < reads.length; at += 2) {
      const contents = held(reads[at]!);
      if (this.#stores.lastKept(reads[at]!, contents[contents.length - 1]!) > missing) return true;
    }
    return false;
  }

  *#lines(reads: Reads, held: (line: number) => ArrayLike<number>): Iterable<LineOnWay> {
    for (let at = 0; at < reads.length; at += 2) {
      const [line, words] = [reads[at]!, reads[at + 1]!];
      const view = this.#stores.view(line, words);
      yield { line, cuts: [...new Set(Array.from(held(line), (content) => view.bounds(content)))] };
    }
  }

  /** Whether some crash of the same run, up to the same point, leaves these values under strict persistency. */
  #hasStrictTwin(reads: Reads, held: (line: number) => ArrayLike<number>, high: Int32Array): boolean {
    const wordsOf = new Map<number, number>();
    for (let at = 0; at < reads.length; at += 2) wordsOf.set(reads[at]!, reads[at + 1]!);
    const alike = (line: number) => this.#alike(line, wordsOf.get(line)!, held(line)[0]!, high[line]!);
    return isStrict(this.#lines(reads, alike), this.#stores.threads);
  }

  /** The line's contents up to one that hold the same words as another. */
  #alike(line: number, asked: number, as: number, last: number): readonly number[] {
    const { points } = this.#planned;
    const { words } = points.tables;
    const isAlike = (content: number) => {
      for (let word = 0; word < wordsPerLine; word++)
        if ((asked >>> word) & 1 && words[content * wordsPerLine + word] !== words[as * wordsPerLine + word])
          return false;
      return true;
    };
    const found: number[] = [];
    for (let content = points.base(line); content <= last; content++) if (isAlike(content)) found.push(content);
    return found;
  }

  isJudgedAnew(): boolean {
    return false;
  }

  findings(): readonly Finding[] {
    return findingsOf(this.pairs.all(), this.#scene, this.#planned);
  }
}
