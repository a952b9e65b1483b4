/**
 * Splits crash states into ranges and hands them out in increasing order. Always: how it splits follows the clock and does
 * not matter to what is found (src/engines/inject/tally.ts).
 */
import type { FailureTally, StateRange } from "../engines/index.ts";
import type { Judges, Timed } from "./check-judges.ts";

/** What a range should take: little is lost when it is cut short, and handing out costs little beside it. */
const rangeSeconds = 1;
const firstRange = 8;
const largestRange = 20_000;
const growth = 4;

/** The next range: as large as the last ones' speed suggests, smaller towards the end so that workers end together. */
class Ranges {
  readonly #todo: StateRange[];
  readonly #judges: Judges;
  #size = firstRange;

  constructor(todo: readonly StateRange[], judges: Judges) {
    this.#todo = [...todo];
    this.#judges = judges;
  }

  next(): StateRange | undefined {
    const gap = this.#todo.shift();
    if (gap === undefined) return undefined;
    const left = [gap, ...this.#todo].reduce((sum, { from, to }) => sum + to - from, 0);
    const size = Math.max(1, Math.min(this.#size, Math.ceil(left / (2 * this.#judges.width))));
    const range = this.#judges.fit({ from: gap.from, to: Math.min(gap.to, gap.from + size) });
    if (range.to < gap.to) this.#todo.unshift({ from: range.to, to: gap.to });
    return range;
  }

  learn({ from, to, seconds }: Timed): void {
    const fitting = ((to - from) * rangeSeconds) / Math.max(seconds, 1e-3);
    this.#size = Math.max(1, Math.floor(Math.min(fitting, this.#size * growth, largestRange)));
  }
}

export interface Schedule {
  readonly judges: Judges;
  /** States to look at: the first so many. */
  readonly states: number;
  readonly tally: FailureTally;
  /** True once no further range should start. */
  stopped(): boolean;
  judged(timed: Timed): void;
}

/** Judges what the tally does not cover yet. */
export async function judgeRest({ judges, states, tally, stopped, judged }: Schedule): Promise<void> {
  const ranges = new Ranges(tally.coverage.gaps(states), judges);
  const underWay = new Set<Promise<void>>();
  const start = async (range: StateRange) => {
    const timed = await judges.judge(range, tally.keysBefore(range.from));
    ranges.learn(timed);
    tally.add(timed);
    judged(timed);
  };
  while (!stopped()) {
    const range = ranges.next();
    if (range === undefined) break;
    const job = start(range).finally(() => underWay.delete(job));
    underWay.add(job);
    if (underWay.size >= judges.width) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}
