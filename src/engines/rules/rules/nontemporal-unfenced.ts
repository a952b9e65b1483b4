/** A non-temporal store passes the caches but waits in a buffer until its thread fences; eADR does not change that. */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform } from "./common.ts";

const words = (view: EventView): Words => {
  const store = view.storeIn();
  return {
    says: `the non-temporal store of ${describeStore(store)} is never completed by a fence of its thread`,
    cause: store,
  };
};

export const nontemporalUnfenced: Rule = {
  id: "nontemporal-unfenced",
  severity: "error",
  title: "non-temporal store never fenced",
  sentence:
    "A non-temporal store is not followed by a fence of its thread before the memory goes away; it may still wait in a buffer when the power fails.",
  advice: "Fence after the last non-temporal store (sfence, pmem_drain).",
  platforms: everyPlatform,
  modes: daxOnly,
  on: {
    loss: (view, how, _flushedElsewhere, report) => {
      if (how !== "non-temporal") return;
      const { site, stack } = view.storeIn();
      report(site, stack, words);
    },
  },
};
