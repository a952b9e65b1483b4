/**
 * Which crashes of one function show one mistake, and which show another one of the same function. Always:
 * - One mistake: what turned a good state into a bad one is the same statement, or recovery fails in the same way for it; or the same
 *   store was lost; or what was lost had to be persisted before the same store; or it is of one object and was stored with no
 *   fence in between, so that one flush would do for both.
 * - What is wrong with every store kept and what is wrong because one was lost are two, unless both are halves of one update.
 */
import {
  type CrashFacts,
  type Finding,
  ownCalls,
  type PlacedMark,
  responsibleFor,
  type StoreFact,
} from "../../crash/finding/index.ts";
import type { Verdict } from "../../crash/states/index.ts";
import type { Frame } from "../../trace/events/index.ts";

/** Whether the second of two instructions stores after the first with no fence of their thread in between. */
export type InOneBatch = (first: number, second: number) => boolean;

/** The function that is responsible, with the line of its store: inlined helpers have lines of their own. */
export function statementAt(frames: readonly Frame[]): string {
  const calls = ownCalls(frames);
  const end = calls.findIndex(({ inlined }) => !inlined);
  const lines = calls.slice(0, end + 1).map(({ line, offset, address }) => line ?? offset ?? address);
  return `${responsibleFor(frames)} ${lines.join(" ")}`;
}

/** The user's line that called the function of a store. */
function callerOf(frames: readonly Frame[]): string {
  const calls = ownCalls(frames);
  const end = calls.findIndex(({ inlined }) => !inlined);
  const caller = calls[end + 1];
  return caller === undefined ? "" : `${caller.function} ${caller.line ?? caller.address}`;
}

/** How it failed, without what differs from build to build and from state to state. */
export const failureName = (verdict: Verdict): string =>
  verdict.kind === "exit" ? `exit ${verdict.code}` : verdict.kind === "signal" ? verdict.name : verdict.kind;

/** The object that a name speaks of, whichever of its kind: `list->nodes[]` of `list->nodes[3].next`. */
export function objectOf(name: string): string {
  const kind = name.replaceAll(/\[[^\]]*\]/g, "[]");
  return kind.replace(/(?:->|\.)[^.\->[\]]+$/, "");
}

/** Crashes of one function, by mistake. */
export function byMistake(alike: readonly Finding[], inOneBatch: InOneBatch): readonly (readonly Finding[])[] {
  const groups: Finding[][] = [];
  for (const finding of alike) {
    const [first, ...more] = groups.filter((group) => group.some((known) => isOneMistake(known, finding, inOneBatch)));
    if (first === undefined) groups.push([finding]);
    else {
      first.push(...more.flat(), finding);
      for (const joined of more) groups.splice(groups.indexOf(joined), 1);
    }
  }
  return groups;
}

function isOneMistake(one: Finding, other: Finding, inOneBatch: InOneBatch): boolean {
  const [a, b] = [one.crash!, other.crash!];
  if (a.turning !== undefined && b.turning !== undefined) return isOneTurn(a, b);
  if (a.turning !== undefined) return isHalfOf(a.turning, b);
  if (b.turning !== undefined) return isHalfOf(b.turning, a);
  // Where nothing was lost and nobody knows what turned recovery, the place of the power cut and how it failed are all there is.
  if (a.lost.length === 0 || b.lost.length === 0)
    return statementAt(one.frames) === statementAt(other.frames) || failureName(a.verdict) === failureName(b.verdict);
  const theirs = firstOfEachLine(b.lost);
  return (
    isOneOrder(a, b) || firstOfEachLine(a.lost).some((ours) => theirs.some((each) => isOneLoss(ours, each, inOneBatch)))
  );
}

const lineBytes = 64;

/** Of each line the store that matters: what comes after it is lost because a line loses its last stores. */
export function firstOfEachLine(lost: readonly StoreFact[]): readonly StoreFact[] {
  const lines = new Map<string, StoreFact>();
  for (const store of lost) {
    const line = `${Math.floor((store.mark.address ?? 0) / lineBytes)} ${store.path}`;
    if (!lines.has(line)) lines.set(line, store);
  }
  return [...lines.values()];
}

const isOneTurn = (a: CrashFacts, b: CrashFacts): boolean =>
  statementAt(a.turning!.frames) === statementAt(b.turning!.frames) ||
  failureName(a.verdict) === failureName(b.verdict);

/** Whether the store that turns recovery survives, or is lost while another store of its function survives: half of an update. */
function isHalfOf({ frames }: PlacedMark, { lost, earlier = [], kept, late }: CrashFacts): boolean {
  if (late) return false;
  const isIt = (store: StoreFact) => statementAt(store.frames) === statementAt(frames);
  const isBeside = (store: StoreFact) => responsibleFor(store.frames) === responsibleFor(frames);
  return kept.some(isIt) || ([...lost, ...earlier].some(isIt) && kept.some(isBeside));
}

/** Whether a store of one statement survives that both should have been persisted before. */
const isOneOrder = ({ kept }: CrashFacts, other: CrashFacts): boolean =>
  kept.some(({ frames }) => other.kept.some((store) => statementAt(store.frames) === statementAt(frames)));

function isOneLoss(one: StoreFact, other: StoreFact, inOneBatch: InOneBatch): boolean {
  if (statementAt(one.frames) === statementAt(other.frames))
    return isOneKind(one, other) || callerOf(one.frames) === callerOf(other.frames);
  const [first, second] = isBefore(one, other) ? [one, other] : [other, one];
  return isOneKind(one, other) && inOneBatch(first.mark.site, second.mark.site);
}

/** In the source: a loop comes back to what stands first, and what it then stores is of another round. */
const isBefore = (one: StoreFact, other: StoreFact): boolean =>
  (ownCalls(one.frames)[0]?.line ?? one.mark.site) <= (ownCalls(other.frames)[0]?.line ?? other.mark.site);

const isOneKind = ({ name: one }: StoreFact, { name: other }: StoreFact): boolean =>
  one === undefined || other === undefined || objectOf(one) === objectOf(other);
