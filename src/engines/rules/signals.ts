/** Which rules react to which situation, wired to the tally. A situation that no rule reacts to has an empty list. */
import type { FindingTally, Mark } from "../../crash/finding/index.ts";
import type { EventView } from "./event-view.ts";
import type { IdleFlush, Loss, Report, Rule, Situations } from "./rule.ts";

export interface Signals {
  readonly idleFlush: readonly ((view: EventView, why: IdleFlush) => void)[];
  readonly sharedFlush: readonly ((view: EventView) => void)[];
  readonly idleFence: readonly ((view: EventView) => void)[];
  readonly sharedFence: readonly ((view: EventView) => void)[];
  readonly overwrite: readonly ((view: EventView, ordered: boolean) => void)[];
  readonly loss: readonly ((view: EventView, how: Loss, flushedElsewhere: boolean) => void)[];
  readonly unaddedStore: readonly ((view: EventView) => void)[];
  readonly looseStore: readonly ((view: EventView, other: Mark, object: Mark) => void)[];
  readonly overlappingAdd: readonly ((view: EventView, other: Mark) => void)[];
  readonly repeatedAdd: readonly ((view: EventView, earlier: Mark) => void)[];
  /** What `tell` points out has happened so often, and was pointed out before. */
  repeat(times: number, tell: () => void): void;
}

export function connectRules(rules: readonly Rule[], tally: FindingTally): Signals {
  let current: EventView | undefined;
  let times = 1;
  const reports = rules.map((rule): Report => {
    const number = tally.enter(rule);
    return (site, stack, words) => {
      if (tally.again(number, site, stack, times)) return;
      const { says, cause, evidence = [] } = words(current as EventView);
      tally.add(number, site, stack, { says, cause, evidence });
    };
  });
  const listeners = <Name extends keyof Situations>(name: Name) =>
    rules.flatMap(({ on }, index) => {
      const listen = on[name] as ((view: EventView, ...rest: unknown[]) => void) | undefined;
      if (listen === undefined) return [];
      return [
        (view: EventView, ...details: unknown[]) => {
          current = view;
          listen(view, ...details, reports[index]);
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
    overlappingAdd: listeners("overlappingAdd"),
    repeatedAdd: listeners("repeatedAdd"),
    repeat: (count, tell) => {
      times = count;
      tell();
      times = 1;
    },
  };
}
