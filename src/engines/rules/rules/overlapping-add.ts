/** Transactions do not keep each other apart: pmemcheck's "overlapping regions registered in different transactions". */
import type { Mark } from "../../../crash/finding/index.ts";
import { hex } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, everyPlatform, evidence } from "./common.ts";

const words =
  (other: Mark) =>
  (view: EventView): Words => ({
    says: `${view.size} bytes at ${hex(view.shown)} are added while another thread's transaction has some of them`,
    cause: { ...view.place(), address: view.shown, size: view.size },
    evidence: [evidence(`${other.size ?? 0} bytes at ${hex(other.address ?? 0)} added by the other one here`, other)],
  });

export const overlappingAdd: Rule = {
  id: "overlapping-add",
  severity: "error",
  title: "range added to two transactions at once",
  sentence:
    "A range is added to a transaction while one of another thread, which has some of it, still runs; if one is rolled back, it takes back what the other has committed.",
  advice:
    "Hold the lock of what a transaction changes until the transaction has ended: lock before TX_BEGIN, or let the transaction do it (TX_BEGIN_PARAM, pmemobj_tx_lock).",
  platforms: everyPlatform,
  modes: everyMode,
  on: { overlappingAdd: (view, other, report) => report(view.site, view.stack, words(other)) },
};
