/** Between flush and fence lines persist in any order, so one fence for several flushes leaves their order open. */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, evidence, volatileCaches } from "./common.ts";

const words = (view: EventView): Words => {
  const [first, second] = [view.pendingFlush("first"), view.pendingFlush("second")];
  const both = `${hex(first.address ?? 0)} and ${hex(second.address ?? 0)}`;
  return {
    says: `the fence completes flushes of ${both}, which may persist in any order`,
    cause: view.place(),
    evidence: [evidence("one of them is flushed here", first), evidence("another is flushed here", second)],
  };
};

export const sharedFence: Rule = {
  id: "shared-fence",
  severity: "warning",
  title: "one fence for several flushes",
  sentence: "One fence completes several flushes, so a crash before it can show any of them without the others.",
  advice: "If the order matters, fence between the flushes; `blackout explore` can settle whether it does.",
  platforms: volatileCaches,
  modes: daxOnly,
  on: { sharedFence: (view, report) => report(view.site, view.stack, words) },
};
