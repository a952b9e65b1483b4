/**
 * A store that is overwritten unpersisted after the program has gone past an ordering point: whatever that point was to
 * order, this store was not part of it. Without a fence in between the two stores are one step: see repeated-store.
 */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, evidence, volatileCaches } from "./common.ts";

const words = (view: EventView): Words => {
  const [earlier, later] = [view.storeIn(), view.store()];
  return {
    says: `the store of ${describeStore(earlier)} is overwritten before it is persisted, though its thread has fenced other flushes since`,
    cause: earlier,
    evidence: [evidence(`overwritten with ${describeStore(later)} here`, later)],
  };
};

export const dirtyOverwrite: Rule = {
  id: "dirty-overwrite",
  severity: "error",
  title: "store overwritten before it was persisted",
  sentence:
    "A store in a line that the program persists is overwritten with another value while it is not yet persisted, and its thread has fenced other flushes in between; a crash can show the later flushes without this store.",
  advice: "Persist the first value before the fence, or keep the value in DRAM until it is final.",
  platforms: volatileCaches,
  modes: daxOnly,
  on: {
    overwrite: (view, ordered, report) => {
      if (!ordered) return;
      report(view.earlierSite, view.earlierStack, words);
    },
  },
};
