/** Persistent memory that nobody ever flushes is used as if it were DRAM (Mumak §2, seed 002 §2.3.1). */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Situations, Words } from "../rule.ts";
import { everyMode, volatileCaches } from "./common.ts";

/** A store that is lost dirty, in a line or a page that never was anything else. */
const neverKept = (says: (store: string) => string): Situations => {
  const words = (view: EventView): Words => {
    const store = view.storeIn();
    return { says: says(describeStore(store)), cause: store };
  };
  return {
    loss: (view, how, flushedElsewhere, report) => {
      if (how !== "dirty" || flushedElsewhere) return;
      const { site, stack } = view.storeIn();
      report(site, stack, words);
    },
  };
};

export const transientData: Rule = {
  id: "transient-data",
  severity: "warning",
  title: "transient data in persistent memory",
  sentence:
    "A store goes to a line of persistent memory that is never flushed in the whole run; either the data is transient and belongs in DRAM, or every flush of it is missing.",
  advice: "Keep transient data in DRAM; if the data is to survive, flush and fence it.",
  platforms: volatileCaches,
  modes: everyMode,
  on: neverKept((store) => `the store of ${store} is to persistent memory, but its line is never flushed`),
  ofFiles: {
    title: "transient data in a mapped file",
    sentence:
      "A store goes to a page of a mapped file that is never synced in the whole run; either the data is transient and belongs in memory of the process, or every msync of it is missing.",
    advice: "Keep transient data in memory of the process; if the data is to survive, call msync with MS_SYNC.",
    on: neverKept((store) => `the store of ${store} is to a mapped file, but its page is never synced`),
  },
};
