/**
 * An object that transactions update is changed in several stores outside any: a crash in between leaves half of them.
 * One store of at most eight aligned bytes that is persisted before the next is failure-atomic and therefore fine.
 */
import { describeStore, type Mark } from "../../../crash/finding/index.ts";
import type { Rule, Words } from "../rule.ts";
import { everyMode, everyPlatform, evidence } from "./common.ts";

const words = (other: Mark, later: Mark, object: Mark) => (): Words => ({
  says: `the store of ${describeStore(other)} is outside any transaction, to an object that transactions update, and not persisted when the object is stored to again`,
  cause: other,
  evidence: [
    evidence(`next store, of ${describeStore(later)}, here`, later),
    evidence("the object was added to a transaction here", object),
  ],
});

export const looseStore: Rule = {
  id: "loose-store",
  severity: "error",
  title: "object of transactions changed outside any",
  sentence:
    "Several stores outside any transaction change an object that is elsewhere updated in transactions, without being persisted one by one; a crash can leave it half changed.",
  advice:
    "Make the change in a transaction that adds the object, or as one persisted store of at most eight aligned bytes.",
  platforms: everyPlatform,
  modes: everyMode,
  on: {
    looseStore: (view, other, object, report) => report(other.site, other.stack, words(other, view.store(), object)),
  },
};
