/** Words that a locked operation takes and that are given back: mostly locks, which a crash resets (Witcher; PMDK's own). */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, volatileCaches } from "./common.ts";

const words = (view: EventView): Words => {
  const store = view.storeIn();
  return {
    says: `the store of ${describeStore(store)} is to a word that locked operations take and that is given back, and it is not persisted`,
    cause: store,
  };
};

export const transientLock: Rule = {
  id: "transient-lock",
  severity: "warning",
  title: "lock or counter in persistent memory",
  sentence:
    "A word of persistent memory is taken by locked operations and given back, as locks, versions and counters are, and is not persisted; after a crash it holds any of its values.",
  advice: "Keep it in DRAM, or let recovery set it anew before it is used; if it is data, flush and fence it.",
  platforms: volatileCaches,
  modes: everyMode,
  on: {
    loss: (view, how, _flushedElsewhere, report) => {
      if (how !== "lock") return;
      const { site, stack } = view.storeIn();
      report(site, stack, words);
    },
  },
};
