/**
 * Where recovery fails after crashes inside recoveries, put together: one failure for each way to fail and each set of
 * places in the recovery whose stores it cannot do without. Always: the order in which failing states come makes no difference.
 */

import type { Held, TracePoints } from "../../crash/recovery-tree/index.ts";
import { type CrashStep, choiceText, cutBefore, stepChoices } from "../../crash/states/index.ts";
import { lostSites, placeOf, type StorePlace, smallestWays, textOrder } from "../recovery-paths/index.ts";
import type { Aftermath, LineNumbers } from "./aftermath.ts";
import { bestOf, type Content, type LineSet } from "./contents.ts";
import type { TracedPoints } from "./ordered-states.ts";

export interface FailingAgain {
  readonly failure: string;
  /** Of the program's points. */
  readonly point: number;
  readonly steps: readonly CrashStep[];
  /** Places of the stores that the last crash loses, and where that is. */
  readonly sites: ReadonlyMap<string, StorePlace>;
  readonly place: string;
  readonly count: number;
}

interface Known extends FailingAgain {
  /** The fewest lines that lost a store, at the last crash and before it, then the earliest. */
  readonly rank: readonly number[];
}

const order = (a: Known, b: Known): number => {
  const at = a.rank.findIndex((rank, i) => rank !== b.rank[i]);
  return at >= 0 ? a.rank[at]! - b.rank[at]! : textOrder(textOf(a), textOf(b));
};

const textOf = ({ steps }: FailingAgain): string => choiceText(stepChoices(steps));

/** What each crash cuts in a state, the program's own first: by line of its trace, the content. */
class ChosenCuts {
  readonly #chosen: ReadonlyMap<number, Content>;
  readonly #numbers: LineNumbers;
  readonly #program: TracePoints;

  constructor(lines: ReadonlyMap<number, LineSet>, numbers: LineNumbers, program: TracePoints) {
    this.#chosen = new Map([...lines].map(([line, set]) => [line, bestOf(set)]));
    this.#numbers = numbers;
    this.#program = program;
  }

  steps(aftermath: Aftermath): readonly CrashStep[] {
    const { origin } = aftermath;
    const before = origin === undefined ? [] : this.steps(origin.before);
    const points = origin?.recovery.planned.points ?? this.#program;
    const number = origin?.point ?? aftermath.point;
    const { cuts, paths } = points.tables;
    const step = {
      ...cutBefore(points.point(number)),
      cuts: this.held(aftermath).map(([line, content]) => {
        const { file, index } = points.place(line);
        const [kept, pieces] = [cuts[2 * content]!, bitsOf(cuts[2 * content + 1]!)];
        return { kind: "cut" as const, path: paths[file]!, line: index, kept, ...(pieces.length > 0 && { pieces }) };
      }),
    };
    return [...before, step];
  }

  /** Lines that do not keep every store at the last crash of an aftermath. */
  held({ origin, crashes, point }: Aftermath): readonly Held[] {
    const points = origin?.recovery.planned.points ?? this.#program;
    const held: Held[] = [];
    for (const [number, chosen] of this.#chosen) {
      let content: Content | undefined = chosen;
      while (content !== undefined && content.crash > crashes) content = content.before;
      if (content?.crash !== crashes) continue;
      const line = origin === undefined ? number : this.#lineIn(origin.recovery, number);
      if (content.number !== points.window(line, origin?.point ?? point)[1]) held.push([line, content.number]);
    }
    return held;
  }

  #lineIn({ planned: { points } }: TracedPoints, number: number): number {
    const { file, index } = this.#numbers.place(number);
    return points.lineAt(points.tables.paths.indexOf(this.#program.tables.paths[file]!), index)!;
  }
}

const bitsOf = (mask: number): number[] => [...Array(32).keys()].filter((bit) => (mask >>> bit) & 1);

export class FailuresAgain {
  readonly #numbers: LineNumbers;
  readonly #points: TracePoints;
  readonly #known = new Map<string, Known>();

  constructor(numbers: LineNumbers, points: TracePoints) {
    this.#numbers = numbers;
    this.#points = points;
  }

  get count(): number {
    return new Set([...this.#known.values()].map(({ failure, sites }) => `${failure} ${[...sites.keys()].join()}`))
      .size;
  }

  /** What the program's own crash loses, where there is no other. */
  heldFirst(aftermath: Aftermath, lines: ReadonlyMap<number, LineSet>): readonly Held[] {
    return new ChosenCuts(lines, this.#numbers, this.#points).held(aftermath);
  }

  add(failure: string, aftermath: Aftermath, lines: ReadonlyMap<number, LineSet>): void {
    const chosen = new ChosenCuts(lines, this.#numbers, this.#points);
    const { recovery, point } = aftermath.origin!;
    const { points, stores } = recovery.planned;
    const held = chosen.held(aftermath);
    const high = Int32Array.from({ length: points.lines }, (_, line) => points.window(line, point)[1]);
    const sites = lostSites(points, stores, held, { high });
    const steps = chosen.steps(aftermath);
    const inner = held.filter(([line, content]) => content !== points.window(line, point)[0]).length;
    const earlier = steps.slice(0, -1).reduce((sum, { cuts }) => sum + cuts.length, 0);
    const rank = [steps.length, held.length, inner, earlier, aftermath.point, point];
    const place = placeOf(points.point(point));
    const key = `${failure}\n${[...sites.keys()].join(" ")}\n${place}`;
    const found: Known = { failure, point: aftermath.point, steps, sites, place, rank, count: 1 };
    const known = this.#known.get(key);
    const best = known === undefined || order(found, known) < 0 ? found : known;
    this.#known.set(key, { ...best, count: 1 + (known?.count ?? 0) });
  }

  smallest(): readonly FailingAgain[] {
    const all = [...this.#known.values()].sort((a, b) => a.sites.size - b.sites.size || order(a, b));
    return smallestWays(all, ({ place }) => place);
  }
}
