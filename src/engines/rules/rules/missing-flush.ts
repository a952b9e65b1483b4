/** A line that the program flushes elsewhere holds a store that it never flushed: the durability bug of Mumak §4.2. */
import { describeStore } from "../../../finding/index.ts";
import type { Moment } from "../moment.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, volatileCaches } from "./common.ts";

const words = (moment: Moment): Words => {
  const store = moment.storeIn();
  return {
    says: `the store of ${describeStore(store)} was never flushed, though its line is flushed at other times`,
    cause: store,
  };
};

export const missingFlush: Rule = {
  id: "missing-flush",
  severity: "error",
  title: "store never flushed",
  sentence:
    "A store to persistent memory is never flushed before the memory goes away, although its line is flushed at other times; after a crash it may be lost.",
  advice: "Flush the line after the store (clwb, pmem_flush) and fence, or persist the whole object (pmem_persist).",
  platforms: volatileCaches,
  modes: everyMode,
  on: {
    loss: (moment, how, flushedElsewhere, report) => {
      if (how !== "dirty" || !flushedElsewhere) return;
      const { site, stack } = moment.storeIn();
      report(site, stack, words);
    },
  },
};
