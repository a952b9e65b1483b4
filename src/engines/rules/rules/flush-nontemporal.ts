/** A non-temporal store does not stay in the cache, so there is nothing to flush; only a fence is needed. */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform, evidence } from "./common.ts";

const words = (view: EventView): Words => ({
  says: `the line of ${hex(view.shown)} is flushed, but was only stored to with non-temporal stores`,
  cause: view.atAddress(),
  evidence: [evidence("last non-temporal store here", view.flush())],
});

export const flushNontemporal: Rule = {
  id: "flush-nontemporal",
  severity: "performance",
  title: "flush of a non-temporal store's line",
  sentence:
    "A line is flushed whose only new contents came from non-temporal stores; those bypass the cache and need a fence, not a flush.",
  advice: "Leave the flush out and keep the fence (pmem_drain).",
  platforms: everyPlatform,
  modes: daxOnly,
  on: {
    idleFlush: (view, why, report) => {
      if (why === "non-temporal") report(view.site, view.stack, words);
    },
  },
};
