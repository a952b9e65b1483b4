/** Between two fences of a thread, one flush of a line is enough unless something was stored to it in between. */
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform, evidence } from "./common.ts";

const words = (view: EventView): Words => ({
  says: `the line of ${hex(view.shown)} is flushed again before the fence, with no store in between`,
  cause: view.atAddress(),
  evidence: [evidence("flushed before here", view.flush())],
});

export const flushTwice: Rule = {
  id: "flush-twice",
  severity: "performance",
  title: "line flushed twice between fences",
  sentence:
    "A thread flushes a line that it has flushed since its last fence, with no store to the line in between; the second flush does nothing.",
  advice: "Flush the line once, after its last store; objects that share a line can share the flush.",
  platforms: everyPlatform,
  modes: daxOnly,
  on: {
    idleFlush: (view, why, report) => {
      if (why === "twice") report(view.site, view.stack, words);
    },
  },
};
