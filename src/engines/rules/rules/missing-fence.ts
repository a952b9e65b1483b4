/** A flush that is never followed by a fence of its thread guarantees nothing (docs/MODEL.md, PM-17). */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, storedHere, volatileCaches } from "./common.ts";

const words = (view: EventView): Words => {
  const store = view.storeIn();
  const says = `the flush of ${describeStore(store)} is never completed by a fence of its thread`;
  return { says, cause: view.flush(), evidence: [storedHere(store)] };
};

export const missingFence: Rule = {
  id: "missing-fence",
  severity: "error",
  title: "flush never fenced",
  sentence:
    "A line is flushed by clwb or clflushopt, but no fence of the same thread follows before the memory goes away; the flush may not have happened.",
  advice: "Fence after the flush, in the same thread (sfence, pmem_drain).",
  platforms: volatileCaches,
  modes: daxOnly,
  on: {
    loss: (view, how, _flushedElsewhere, report) => {
      if (how !== "pending") return;
      const { site, stack } = view.flush();
      report(site, stack, words);
    },
  },
};
