/** Nothing was stored to the line since it was last persisted, so the flush has nothing to write back (Mumak §4.2). */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform } from "./common.ts";

const words = (view: EventView): Words => ({
  says: `the flush of ${hex(view.shown)} finds its line clean: nothing was stored to it since it was last persisted`,
  cause: view.atAddress(),
});

export const flushClean: Rule = {
  id: "flush-clean",
  severity: "performance",
  title: "flush of a clean line",
  sentence:
    "A line is flushed to which nothing was stored since it was last persisted; the flush costs time and does nothing.",
  advice: "Flush only what was stored to: a smaller range, or only on the path that stores.",
  platforms: everyPlatform,
  modes: daxOnly,
  on: {
    idleFlush: (view, why, report) => {
      if (why === "clean") report(view.site, view.stack, words);
    },
  },
};
