/**
 * A store fence of a thread that has flushed nothing since its last fence. Locked operations are for other threads, and so
 * is an mfence, unless the same instruction has completed flushes before.
 */
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { daxOnly, everyPlatform } from "./common.ts";

const words = (view: EventView): Words => ({
  says: "the fence has nothing to complete: its thread has flushed nothing since its last fence",
  cause: view.place(),
});

export const redundantFence: Rule = {
  id: "redundant-fence",
  severity: "performance",
  title: "fence with nothing pending",
  sentence:
    "A thread fences without having flushed, or stored non-temporally, since its last fence; the fence costs time and completes nothing.",
  advice: "Fence once after the flushes it is for; leave it out on paths that flush nothing.",
  platforms: everyPlatform,
  modes: daxOnly,
  on: { idleFence: (view, report) => report(view.site, view.stack, words) },
};
