/** A flush that is never followed by a fence of its thread guarantees nothing (docs/MODEL.md, PM-4). */
import { describeStore } from "../../../finding/index.ts";
import type { Moment } from "../moment.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, storedHere, volatileCaches } from "./common.ts";

const words = (moment: Moment): Words => {
  const store = moment.storeIn();
  const says = `the flush of ${describeStore(store)} is never completed by a fence of its thread`;
  return { says, cause: moment.flush(), evidence: [storedHere(store)] };
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
    loss: (moment, how, _flushedElsewhere, report) => {
      if (how !== "pending") return;
      const { site, stack } = moment.flush();
      report(site, stack, words);
    },
  },
};
