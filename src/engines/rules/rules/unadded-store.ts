/** A transaction can only roll back what was added to it: pmemcheck's "store made without adding to transaction". */
import { describeStore } from "../../../crash/finding/index.ts";
import type { EventView } from "../event-view.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, everyPlatform } from "./common.ts";

const words = (view: EventView): Words => {
  const store = view.store();
  return { says: `the store of ${describeStore(store)} is inside a transaction that did not add it`, cause: store };
};

export const unaddedStore: Rule = {
  id: "unadded-store",
  severity: "error",
  title: "store in a transaction that did not add its range",
  sentence:
    "A thread in a transaction stores to memory that was not added to it; if the transaction aborts or the power fails, the store is not rolled back.",
  advice: "Add the range before the store (TX_ADD, TX_ADD_FIELD, pmemobj_tx_add_range), or set it with TX_SET.",
  platforms: everyPlatform,
  modes: everyMode,
  on: { unaddedStore: (view, report) => report(view.site, view.stack, words) },
};
