/**
 * Hands out a plan's units to judges until nothing is left or something says stop. Always: how large units are follows the
 * clock, and does not matter to what is found.
 */
import type { Plan, UnitResult } from "./engine.ts";
import type { JudgePool, Timed } from "./judge-pool.ts";

/** What a unit should take: little is lost when it is cut short, and handing out costs little beside it. */
const unitSeconds = 1;
const firstItems = 8;
/** Where nearly all are skipped, a second has half a million: a worker has less to catch up with when its units are few. */
const mostItems = 200_000;
const growth = 4;

export interface Schedule {
  readonly plan: Plan<unknown, unknown, unknown, UnitResult<unknown>>;
  readonly judges: JudgePool;
  /** True once no further unit should start. */
  stopped(): boolean;
  judged(timed: Timed): void;
}

/** The next unit's size: as the last ones' speed suggests, smaller towards the end so that workers end together. */
class UnitSize {
  #items = firstItems;

  next(left: number, width: number): number {
    return Math.max(1, Math.min(this.#items, Math.ceil(left / (2 * width))));
  }

  learn(items: number, seconds: number): void {
    const fitting = (items * unitSeconds) / Math.max(seconds, 1e-3);
    this.#items = Math.max(1, Math.floor(Math.min(fitting, this.#items * growth, mostItems)));
  }
}

export async function judgeRest({ plan, judges, stopped, judged }: Schedule): Promise<void> {
  const size = new UnitSize();
  const underWay = new Set<Promise<void>>();
  let itemsUnderWay = 0;
  const start = async (unit: unknown) => {
    const items = plan.sizeOf(unit);
    itemsUnderWay += items;
    const timed = await judges.judge(unit, plan.hint(unit), plan.versionsOf(unit));
    itemsUnderWay -= items;
    if (timed === undefined) return;
    size.learn(plan.sizeOf(timed.result.unit), timed.seconds);
    plan.add(timed.result);
    judged(timed);
  };
  while (!stopped()) {
    const unit = plan.next(size.next(plan.items - plan.done - itemsUnderWay, judges.width));
    if (unit === undefined) {
      // What is under way may leave a rest, or find more to do.
      if (underWay.size === 0) break;
      await Promise.race(underWay);
      continue;
    }
    const job = start(unit).finally(() => underWay.delete(job));
    underWay.add(job);
    if (underWay.size >= judges.width) await Promise.race(underWay);
  }
  await Promise.all(underWay);
}
