/** Persistent memory that nobody ever flushes is used as if it were DRAM (Mumak §2, seed 002 §2.3.1). */
import { describeStore } from "../../../finding/index.ts";
import type { Moment } from "../moment.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, volatileCaches } from "./common.ts";

const words = (moment: Moment): Words => {
  const store = moment.storeIn();
  return {
    says: `the store of ${describeStore(store)} is to persistent memory, but its line is never flushed`,
    cause: store,
  };
};

export const transientData: Rule = {
  id: "transient-data",
  severity: "performance",
  title: "transient data in persistent memory",
  sentence:
    "A store goes to a line of persistent memory that is never flushed in the whole run; either the data is transient and belongs in DRAM, or every flush of it is missing.",
  advice: "Keep transient data in DRAM; if the data is to survive, flush and fence it.",
  platforms: volatileCaches,
  modes: everyMode,
  on: {
    loss: (moment, how, flushedElsewhere, report) => {
      if (how !== "dirty" || flushedElsewhere) return;
      const { site, stack } = moment.storeIn();
      report(site, stack, words);
    },
  },
};
