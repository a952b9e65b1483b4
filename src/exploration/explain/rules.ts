/** What engines that run recoveries find: one that does not end as it should. */
import type { RuleInfo } from "../../crash/finding/index.ts";

const advice =
  "make the stores that recovery relies on persist before the store that makes them count, or let recovery cope without them.";

const rule = (
  id: string,
  title: string,
  sentence: string,
  toFix = advice,
  severity: RuleInfo["severity"] = "error",
): RuleInfo => ({
  id,
  severity,
  title,
  sentence,
  advice: toFix,
});

export const recoveryRules = {
  signal: rule(
    "recovery-killed",
    "recovery dies after a crash",
    "After a power cut at this point the recovery is killed by a signal.",
  ),
  exit: rule(
    "recovery-fails",
    "recovery fails after a crash",
    "After a power cut at this point the recovery exits with a code that says it failed.",
  ),
  hang: rule(
    "recovery-hangs",
    "recovery does not end after a crash",
    "After a power cut at this point the recovery runs on far beyond what it needs otherwise.",
  ),
  deadlock: rule(
    "recovery-hangs",
    "recovery waits for ever after a crash",
    "After a power cut at this point every thread of the recovery waits and none can be woken.",
  ),
  output: rule(
    "recovery-output",
    "recovery finds a state that no clean stop leaves",
    "After a power cut at this point the recovery prints neither what it prints after a clean stop before the operation under way nor what it prints after it.",
    "let one store make the whole operation count, after all it needs is persisted, and persist it before the operation is told to be done.",
  ),
  lines: rule(
    "recovery-prints-less",
    "recovery finds less than there ever was",
    "After a power cut at this point the recovery exits well and prints fewer lines than after every clean stop since it first printed any.",
    "look at what recovery prints there: what it does not find is lost, and nobody is told. `--oracle output` judges every line of it.",
    "warning",
  ),
  leak: rule(
    "recovery-leaks",
    "recovery leaves objects that nothing refers to",
    "After a power cut at this point the recovery exits well, and objects of a pool are still allocated that neither the root object nor any other it leads to refers to, as they are not after a clean stop.",
    "do both in one step: allocate right into the place that refers to the object, or link and allocate (unlink and free) in one transaction; or let recovery free what nothing refers to.",
    "warning",
  ),
} as const;
