/** Who wants to know of which moment: rules wired to the tally. A moment that nobody wants has an empty list. */
import type { FindingTally, Mark } from "../../finding/index.ts";
import type { Moment } from "./moment.ts";
import type { IdleFlush, Loss, Moments, Report, Rule } from "./rule.ts";

export interface Signals {
  readonly idleFlush: readonly ((moment: Moment, why: IdleFlush) => void)[];
  readonly sharedFlush: readonly ((moment: Moment) => void)[];
  readonly idleFence: readonly ((moment: Moment) => void)[];
  readonly sharedFence: readonly ((moment: Moment) => void)[];
  readonly overwrite: readonly ((moment: Moment, ordered: boolean) => void)[];
  readonly loss: readonly ((moment: Moment, how: Loss, flushedElsewhere: boolean) => void)[];
  readonly unaddedStore: readonly ((moment: Moment) => void)[];
  readonly looseStore: readonly ((moment: Moment, other: Mark, object: Mark) => void)[];
  readonly repeatedAdd: readonly ((moment: Moment, earlier: Mark) => void)[];
  /** What `tell` points out has happened so often, and was pointed out before. */
  repeat(times: number, tell: () => void): void;
}

export function connectRules(rules: readonly Rule[], tally: FindingTally): Signals {
  let current: Moment | undefined;
  let times = 1;
  const reports = rules.map((rule): Report => {
    const number = tally.enter(rule);
    return (site, stack, words) => {
      if (tally.again(number, site, stack, times)) return;
      const { says, cause, evidence = [] } = words(current as Moment);
      tally.add(number, site, stack, { says, cause, evidence });
    };
  });
  const listeners = <Name extends keyof Moments>(name: Name) =>
    rules.flatMap(({ on }, index) => {
      const listen = on[name] as ((moment: Moment, ...rest: unknown[]) => void) | undefined;
      if (listen === undefined) return [];
      return [
        (moment: Moment, ...details: unknown[]) => {
          current = moment;
          listen(moment, ...details, reports[index]);
        },
      ];
    });
  return {
    idleFlush: listeners("idleFlush"),
    sharedFlush: listeners("sharedFlush"),
    idleFence: listeners("idleFence"),
    sharedFence: listeners("sharedFence"),
    overwrite: listeners("overwrite"),
    loss: listeners("loss"),
    unaddedStore: listeners("unaddedStore"),
    looseStore: listeners("looseStore"),
    repeatedAdd: listeners("repeatedAdd"),
    repeat: (count, tell) => {
      times = count;
      tell();
      times = 1;
    },
  };
}
