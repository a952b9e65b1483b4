/** Flushing what is not persistent memory persists nothing (Mumak §2). */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform } from "./common.ts";

const words = (view: EventView): Words => ({
  says: `${hex(view.shown)} is flushed, but is not in persistent memory`,
  cause: view.atAddress(),
});

export const flushVolatile: Rule = {
  id: "flush-volatile",
  severity: "performance",
  title: "flush of memory that is not persistent",
  sentence: "An address outside every persistent mapping is flushed; the flush costs time and persists nothing.",
  advice: "Flush only addresses of persistent mappings; check pmem_is_pmem where the address is computed.",
  platforms: everyPlatform,
  modes: daxOnly,
  on: {
    idleFlush: (view, why, report) => {
      if (why === "outside") report(view.site, view.stack, words);
    },
  },
};
