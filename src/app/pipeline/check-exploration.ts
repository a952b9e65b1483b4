/** What a check goes on with when its own crash states are judged: updates that stand for all others, then every crash state. */
import { type Beside, OrderBeside, type RepresentEngine, representEngine, unfailedRule } from "../../engines/index.ts";
import type { CheckOptions } from "./check.ts";

/** Without a limit of time, a long run's updates are not put into groups: that would take longer than all else. */
const mostEvents = 50_000;

/** Stores out of order that recovery copes with. On other platforms stores persist in their order. */
const unordered: Beside = {
  rules: [unfailedRule],
  watcher: (scene, planned, creationEnd) => new OrderBeside(scene, planned, creationEnd),
};

/** It runs one recovery and nothing after it; undefined where there is more. */
export function checkExploration({ subject, judging, creation, time }: CheckOptions): RepresentEngine | undefined {
  const { furtherRecoveries = [], thenCommand } = subject;
  if (furtherRecoveries.length > 0 || thenCommand !== undefined) return undefined;
  const { platform } = judging;
  // Updates persist independently of each other, which they do not where stores persist in their order.
  const most = time === undefined ? mostEvents : Number.POSITIVE_INFINITY;
  const thenAll = { mostEvents: platform === "strict" ? 0 : most };
  return representEngine({ creation, platform, thenAll, ...(platform === "px86" && { beside: unordered }) });
}
