/** One flush for several stores is right as long as they share a line, which padding or another compiler can change. */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import { atFlushed, entryAt } from "../lines.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, storedHere, volatileCaches } from "./common.ts";

const shownStores = 4;

const words = (view: EventView): Words => {
  const slots = view.slotsAbove(view.lines.words[entryAt(view.entry) + atFlushed]!);
  const stores = slots.map((slot) => view.storeIn(slot));
  const places = stores.filter(({ site }, index) => stores.findIndex((other) => other.site === site) === index);
  return {
    says: `the flush of ${hex(view.shown)} persists ${stores.length} stores at once, because they share a line`,
    cause: view.atAddress(),
    evidence: places.slice(0, shownStores).map(storedHere),
  };
};

export const sharedFlush: Rule = {
  id: "shared-flush",
  severity: "warning",
  title: "one flush for several stores",
  sentence:
    "One flush covers stores from several places because they happen to share a line; if the layout changes, some of them lose their flush.",
  advice:
    "Flush the range that holds all the stores (pmem_flush with its size), or align the object to a line and assert that it fits.",
  platforms: volatileCaches,
  modes: daxOnly,
  on: { sharedFlush: (view, report) => report(view.site, view.stack, words) },
};
