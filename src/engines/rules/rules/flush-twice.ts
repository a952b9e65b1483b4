/** Between two fences of a thread, one flush of a line is enough unless something was stored to it in between. */
import { hex } from "../../../finding/index.ts";
import type { Moment } from "../moment.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform, evidence } from "./common.ts";

const words = (moment: Moment): Words => ({
  says: `the line of ${hex(moment.shown)} is flushed again before the fence, with no store in between`,
  cause: moment.atAddress(),
  evidence: [evidence("flushed before here", moment.flush())],
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
    idleFlush: (moment, why, report) => {
      if (why === "twice") report(moment.site, moment.stack, words);
    },
  },
};
