/**
 * Findings of one cause are one finding: what a rule says of a store that a crash shows to be lost is told with the crash,
 * and that a store is overwritten too early with what says why it was still not persisted.
 * Always: a rule's finding is told either by itself or with one other, and never dropped. What a crash shows of a store that
 * its transaction did not add comes first: whatever else that transaction wrote may be lost with it, and look like a mistake of its own.
 */
import {
  type CrashFacts,
  type Finding,
  type OwnModule,
  ownPosition,
  type PlacedMark,
} from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";

/** A finding with those of rules that have the same cause. */
export interface Cause {
  readonly finding: Finding;
  readonly also: readonly Finding[];
}

/** Rules whose cause is a store that is not made durable, or not in time. */
const storeRules = new Set([
  "missing-flush",
  "missing-fence",
  "nontemporal-unfenced",
  "dirty-overwrite",
  "unadded-store",
  "loose-store",
  "transient-data",
]);
const orderRule = "shared-fence";
/** By rule, those that say why it complains of a store: it was not persisted when overwritten; its transaction did not know it. */
const reasons: Readonly<Record<string, readonly string[]>> = {
  "dirty-overwrite": ["missing-flush", "missing-fence", "nontemporal-unfenced", "unadded-store"],
  "missing-flush": ["unadded-store"],
  "missing-fence": ["unadded-store"],
  "transient-data": ["unadded-store"],
};
const lineBytes = 64;
const lineOf = (address: number | undefined): number | undefined =>
  address === undefined ? undefined : Math.floor(address / lineBytes);

/** The calls of the store that a rule complains of; where it points at a flush, that of what was flushed. */
const storeFrames = ({ rule, frames, evidence: [stored] }: Finding): readonly Frame[] =>
  rule.id === "missing-fence" && stored !== undefined ? stored.frames : frames;

type StatementOf = (frames: readonly Frame[]) => string | undefined;

/** The user's line, in their function. */
const statements =
  (ownModule: OwnModule): StatementOf =>
  (frames) => {
    const { file, line, function: name } = frames[ownPosition(frames, ownModule) ?? -1] ?? {};
    return file === undefined || line === undefined ? undefined : `${file}:${line} ${name}`;
  };

/** The stores that a crash shows to matter: lost, or such as turned a good state into a bad one, and others of the same mistake. */
const blamed = ({ lost, earlier = [], turning, elsewhere }: CrashFacts): readonly PlacedMark[] => [
  ...(turning === undefined ? [] : [turning]),
  ...lost,
  ...earlier,
  ...elsewhere,
];

/** One fence for what was lost and for what survived: nothing orders the two. */
function fencesBoth({ evidence, frames }: Finding, { lost, kept, cut }: CrashFacts, statementOf: StatementOf): boolean {
  const flushed = new Set(evidence.map(({ mark }) => lineOf(mark.address)));
  const meets = (stores: CrashFacts["lost"]) => stores.some(({ address }) => flushed.has(lineOf(address ?? -1)));
  if (meets(lost) && meets(kept)) return true;
  const fence = statementOf(frames);
  return kept.length > 0 && fence !== undefined && fence === statementOf(cut.frames);
}

/** A lock that recovery finds taken, however it comes to that. */
const lockRule = "transient-lock";
/** What a flush or a fence cures, which nothing does where one store turns recovery. */
const cureRules = new Set(["missing-flush", "missing-fence", "nontemporal-unfenced", "transient-data"]);

function tells(crash: CrashFacts, finding: Finding, statementOf: StatementOf): boolean {
  const { id } = finding.rule;
  if (id === orderRule) return fencesBoth(finding, crash, statementOf);
  if (crash.turning !== undefined && cureRules.has(id)) return false;
  const among =
    id === lockRule ? [...blamed(crash), ...(crash.alsoLost ?? [])] : storeRules.has(id) ? blamed(crash) : [];
  const statement = statementOf(storeFrames(finding));
  return statement !== undefined && among.some(({ frames }) => statementOf(frames) === statement);
}

/** Whether one finding of a rule says why the store that another is about was not persisted yet. */
function isReason(one: Finding, other: Finding, statementOf: StatementOf): boolean {
  if (one.crash !== undefined || !reasons[other.rule.id]?.includes(one.rule.id)) return false;
  const statement = statementOf(other.frames);
  return statement !== undefined && statement === statementOf(storeFrames(one));
}

/** The crash findings each with what rules say of the same cause, and the others by themselves. */
export function byCause(findings: readonly Finding[], ownModule: OwnModule): readonly Cause[] {
  const statementOf = statements(ownModule);
  const crashes = findings.filter(({ crash, rule }) => crash !== undefined && rule.severity === "error");
  const told = new Map<Finding, Finding>();
  for (const finding of findings) {
    if (finding.crash !== undefined) continue;
    const crash = crashes.find((each) => tells(each.crash!, finding, statementOf));
    const other = crash ?? findings.find((each) => isReason(each, finding, statementOf));
    if (other !== undefined) told.set(finding, other);
  }
  /** A reason may have one of its own. */
  const rootOf = (finding: Finding): Finding => (told.has(finding) ? rootOf(told.get(finding)!) : finding);
  const causes = findings
    .filter((finding) => !told.has(finding))
    .map((finding) => ({
      finding,
      also: [...told.keys()].filter((rule) => rootOf(rule) === finding),
    }));
  return [...causes.filter(isOfTransaction), ...causes.filter((cause) => !isOfTransaction(cause))];
}

const isOfTransaction = ({ finding, also }: Cause): boolean =>
  finding.crash !== undefined && also.some(({ rule }) => rule.id === "unadded-store");
