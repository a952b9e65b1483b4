/** A line that the program flushes elsewhere holds a store that it never flushed: the durability bug of Mumak §4.2. */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Situations, Words } from "../rule.ts";
import { everyMode, volatileCaches } from "./common.ts";

type Says = (store: string) => string;

/** A store that is lost dirty, in a line that is flushed, or in a page that is synced, at other times. */
const lost = (says: Says): Situations => {
  const words = (view: EventView): Words => {
    const store = view.storeIn();
    return { says: says(describeStore(store)), cause: store };
  };
  return {
    loss: (view, how, flushedElsewhere, report) => {
      if (how !== "dirty" || !flushedElsewhere) return;
      const { site, stack } = view.storeIn();
      report(site, stack, words);
    },
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
  on: lost((store) => `the store of ${store} was never flushed, though its line is flushed at other times`),
  ofFiles: {
    title: "store never synced",
    sentence:
      "A store to a mapped file is followed by no msync before the memory goes away, although its page is synced at other times; after a crash it may be lost.",
    advice: "Call msync with MS_SYNC on the range after the store (pmem_msync), or fsync on the file.",
    on: lost((store) => `the store of ${store} was never synced, though its page is synced at other times`),
  },
};
