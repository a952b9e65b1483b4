/** The redundant undo log of Agamotto (seed 002 §2.4.2.2), from a program's own annotations. */

import type { Mark } from "../../../crash/finding/index.ts";
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, everyPlatform, evidence } from "./common.ts";

const words =
  (earlier: Mark) =>
  (view: EventView): Words => ({
    says: `${view.size} bytes at ${hex(view.shown)} are added to a transaction that has some of them already`,
    cause: { ...view.place(), address: view.shown, size: view.size },
    evidence: [evidence(`${earlier.size ?? 0} bytes at ${hex(earlier.address ?? 0)} added before here`, earlier)],
  });

export const repeatedAdd: Rule = {
  id: "repeated-add",
  severity: "performance",
  title: "range added to a transaction twice",
  sentence: "A range is added to a transaction that already has some of it; it is logged twice.",
  advice: "Add each range once per transaction, where the transaction begins or before the first store.",
  platforms: everyPlatform,
  modes: everyMode,
  on: { repeatedAdd: (view, earlier, report) => report(view.site, view.stack, words(earlier)) },
};
