/** A value that is replaced before anything was ordered after it: the earlier store was for nothing (Mumak §2). */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, evidence, volatileCaches } from "./common.ts";

const words = (view: EventView): Words => {
  const [earlier, later] = [view.storeIn(), view.store()];
  return {
    says: `the store of ${describeStore(earlier)} is overwritten before it is persisted`,
    cause: earlier,
    evidence: [evidence(`overwritten with ${describeStore(later)} here`, later)],
  };
};

export const repeatedStore: Rule = {
  id: "repeated-store",
  severity: "warning",
  title: "store replaced before it was persisted",
  sentence:
    "A store is overwritten with another value before it is persisted and before anything is ordered after it; only the last value can matter.",
  advice: "Keep the value in DRAM until it is final, or persist each value if each is to survive.",
  platforms: volatileCaches,
  modes: daxOnly,
  on: {
    overwrite: (view, ordered, report) => {
      if (ordered) return;
      report(view.earlierSite, view.earlierStack, words);
    },
  },
};
