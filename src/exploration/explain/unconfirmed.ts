/**
 * Errors of rules that no crash confirms. A rule sees that a store may be lost; whether that matters, recovery knows. Always:
 * - They stay errors unless a recovery of the user's own looks at what the program left: a program that merely runs again, or
 *   a command that reads nothing, judges nothing.
 * - Where every crash state was judged and recovery fails on none because of the store, it is a warning.
 * - Where not all were, what recovery never reads, or stores to before it reads it, is a warning.
 */
import {
  type CrashFacts,
  type Finding,
  outsideTheSystem,
  ownPosition,
  type PlacedMark,
} from "../../crash/finding/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { RecoveryLoads } from "./recovery-loads.ts";

/** Rules about stores that a crash may lose, or keep when it should not. */
const storeRules: ReadonlySet<string> = new Set([
  ...["missing-flush", "missing-fence", "nontemporal-unfenced", "dirty-overwrite"],
  ...["unadded-store", "loose-store", "overlapping-add"],
]);

const isOfRule = ({ rule, crash }: Finding): boolean =>
  crash === undefined && rule.severity === "error" && storeRules.has(rule.id);

/** The store that a rule complains of, with its calls: where it points at a flush, what was flushed. */
const storeOf = ({ rule, cause: mark, frames, evidence: [stored] }: Finding): PlacedMark =>
  rule.id === "missing-fence" && stored !== undefined ? stored : { mark, frames };

/** What crashes show to matter. */
const blamed = ({ lost, earlier = [], kept, turning, elsewhere }: CrashFacts): readonly PlacedMark[] =>
  // What turns recovery whether it is persisted or not says nothing of a flush.
  turning === undefined ? [...lost, ...earlier, ...kept, ...elsewhere] : [];

/** The user's line, or the instruction: the same in another run of the program, with what Valgrind is told in it. */
function lineOf({ frames }: Pick<PlacedMark, "frames">): string {
  const own = frames[ownPosition(frames, outsideTheSystem) ?? 0];
  return own?.line === undefined ? `${own?.address}` : `${own.file}:${own.line}`;
}

/** `isWhole`: every crash state was judged. */
export function settledByCrashes(scene: LeadScene, findings: readonly Finding[], isWhole: boolean): readonly Finding[] {
  if (scene.subject.options.recover === undefined) return findings;
  const shown = new Set(findings.flatMap(({ crash }) => (crash === undefined ? [] : blamed(crash))).map(lineOf));
  const open = findings.filter((finding) => isOfRule(finding) && !shown.has(lineOf(storeOf(finding))));
  if (open.length === 0) return findings;
  const loads = new RecoveryLoads(scene);
  if (!loads.readsAnything()) return findings;
  const read = isWhole ? [] : loads.areRead(open.map((finding) => storeOf(finding).mark));
  const harmless = new Set(open.filter((_, at) => !read[at]));
  return findings.map((finding) => (harmless.has(finding) ? asWarning(finding, isWhole) : finding));
}

const asWarning = (finding: Finding, isWhole: boolean): Finding => ({
  ...finding,
  says: `${finding.says}; ${isWhole ? "no crash of this run breaks this recovery by it" : "this recovery does not read it"}`,
  rule: { ...finding.rule, severity: "warning" },
});
