/**
 * Which crashes show one mistake. Always: of one function that is responsible, the one that made the store which was lost, or that turned
 * a good state into a bad one, those count as one that one-mistake.ts says; and crashes that another function shows once more.
 * Where else it shows is told, as far as there is room.
 */
import { assert } from "../../base/index.ts";
import {
  type CrashFacts,
  type Finding,
  fingerprintOf,
  isOfSystem,
  ownCalls,
  type PlacedMark,
  responsibleFor,
} from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { byMistake, failureName, firstOfEachLine, type InOneBatch, statementAt } from "./one-mistake.ts";

/** The same for crashes that are laid to one store. `frames` are the responsible place's. */
export const mistakeOf = (frames: readonly Frame[]): string => fingerprintOf(`crash\n${statementAt(frames)}`, []);

/** The same for all that is laid to one function. */
export const blameOf = (frames: readonly Frame[]): string => fingerprintOf(`crash\n${responsibleFor(frames)}`, []);

/** The same for crashes that leak by one mistake, whatever else is wrong in the same function. */
export const leakOf = (frames: readonly Frame[]): string => fingerprintOf(`leak\n${responsibleFor(frames)}`, []);

const shownPlaces = 3;
/** A place to a reader: where in a function, called from where. */
const placeOf = (frames: readonly Frame[]): string =>
  [...new Set(ownCalls(frames).map(({ address }) => address))].slice(0, 2).join(" ");

/** One finding for each mistake, with how many crash states show it and where else they came from. */
export function mergeFindings(findings: readonly Finding[], inOneBatch: InOneBatch = () => true): Finding[] {
  const isLeak = ({ crash }: Finding) => crash?.leaked !== undefined;
  // A leak says nothing of why recovery fails elsewhere, nor a failure of why it leaks.
  const failures = byFunction(findings.filter((finding) => !isLeak(finding)));
  const leaks = byFunction(findings.filter(isLeak));
  return [failures.flatMap((alike) => byMistake(alike, inOneBatch)), leaks].flatMap((mistakes) =>
    withoutShadows(withoutRemains(withoutEchoes(mistakes))).map(merged),
  );
}

function byFunction(findings: readonly Finding[]): readonly (readonly Finding[])[] {
  const functions = new Map<string, Finding[]>();
  for (const finding of findings) {
    const blame = blameOf(finding.frames);
    functions.set(blame, [...(functions.get(blame) ?? []), finding]);
  }
  return [...functions.values()];
}

const isOfLibrary = ({ frames }: Finding): boolean => frames[0] !== undefined && isOfSystem(frames[0]);
const waysOf = (findings: readonly Finding[]) => new Set(findings.map(({ crash }) => failureName(crash!.verdict)));

/**
 * A store that a transaction does not log shows wherever the transaction may be rolled back, also where the library's own
 * record of its end is lost. A library's stores are not to blame while one of the program's own, made below the same
 * function, fails recovery in one of the same ways.
 */
function withoutEchoes(mistakes: readonly (readonly Finding[])[]): readonly (readonly Finding[])[] {
  const own = mistakes.filter((alike) => !alike.every(isOfLibrary));
  const echoes = mistakes.filter((alike) => alike.every(isOfLibrary));
  const heardIn = (echo: readonly Finding[]) =>
    own.find(([first, ...more]) => {
      const calls = ownCalls(first!.frames).map((frame) => frame.function);
      const ways = waysOf([first!, ...more]);
      return calls.includes(responsibleFor(echo[0]!.frames)) && [...waysOf(echo)].some((way) => ways.has(way));
    });
  return [
    ...own.map((alike) => [...alike, ...echoes.filter((echo) => heardIn(echo) === alike).flat()]),
    ...echoes.filter((echo) => heardIn(echo) === undefined),
  ];
}

/**
 * A store that breaks recovery with every store kept may also be all that a crash leaves of its update, and recovery then fails for
 * want of the rest. No flush or fence cures the one, so none is what the other lacks: undone with its update, the store shows in
 * neither. All that the other function's crashes have in common must be that store, and one function must be within the other.
 */
function withoutRemains(mistakes: readonly (readonly Finding[])[]): readonly (readonly Finding[])[] {
  const leftBy = (alike: readonly Finding[]) =>
    mistakes.find((other) => {
      const turned = new Set(other.map(turnedAt));
      return other !== alike && alike.every((one) => isLeftBy(one, turned)) && areNested(plainest(alike), other[0]!);
    });
  const whole = mistakes.filter((alike) => leftBy(alike) === undefined);
  return whole.map((alike) => [...alike, ...mistakes.filter((other) => leftBy(other) === alike).flat()]);
}

/** The event that turned a good state into a bad one, by its instruction and its calls. */
const turnedAt = ({ crash }: Finding): string | undefined => crash!.turning && eventAt(crash!.turning);
const eventAt = ({ mark, frames }: PlacedMark): string => `${mark.site} ${placeOf(frames)}`;

/** Whether it takes the survival of a store that turns a good state into a bad one. */
function isLeftBy(one: Finding, turned: ReadonlySet<string | undefined>): boolean {
  const survivor = one.crash!.late ? undefined : survivorOf(one);
  return survivor !== undefined && turned.has(eventAt(survivor));
}

/**
 * Crashes that show a mistake of another function once more:
 * - What fails only without several stores goes with one that fails without one of them alone: that cured, both are.
 * - What had to be persisted before the same store is one lacking order, where one function stored it and called the other, or
 *   where both were inlined into one.
 */
function withoutShadows(mistakes: readonly (readonly Finding[])[]): readonly (readonly Finding[])[] {
  const plainFirst = mistakes.toSorted((a, b) => plainness(plainest(a)) - plainness(plainest(b)));
  const kept: Finding[][] = [];
  for (const alike of plainFirst) {
    const of = kept.find((known) => isShadow(plainest(alike), plainest(known)));
    if (of === undefined) kept.push([...alike]);
    else of.push(...alike);
  }
  return kept;
}

function isShadow(one: Finding, plainer: Finding): boolean {
  const { lost, turning } = one.crash!;
  if (turning !== undefined) return false;
  if (blameOf(one.frames) === blameOf(plainer.frames)) return false;
  if (lost.length > 1 && lost.some(({ frames }) => blameOf(frames) === blameOf(plainer.frames))) return true;
  const [survivor, other] = [survivorOf(one), survivorOf(plainer)];
  if (survivor === undefined || other === undefined) return false;
  if (placeOf(survivor.frames) !== placeOf(other.frames)) return false;
  return areNested(one, plainer);
}

/** Whether one's function called the other's, or both were inlined into one. */
const areNested = (one: Finding, other: Finding): boolean =>
  calls(one, other) || calls(other, one) || holderOf(one) === holderOf(other);

/** The last of the stores that had to be kept for it. */
function survivorOf({ crash }: Finding): PlacedMark | undefined {
  if (crash!.turning !== undefined) return undefined;
  return crash!.kept.toSorted((a, b) => a.mark.seq - b.mark.seq).at(-1);
}

/** Whether the one's function called the other's. */
const calls = (caller: Finding, callee: Finding): boolean => {
  const [, ...callers] = ownCalls(callee.frames).map((frame) => frame.function);
  return callers.includes(ownCalls(caller.frames)[0]?.function);
};

/** The function that its store was compiled into. */
const holderOf = ({ frames }: Finding): string | undefined =>
  ownCalls(frames).find(({ inlined }) => !inlined)?.function;

const plainest = (alike: readonly Finding[]): Finding =>
  telling(alike).reduce((best, finding) => (isPlainer(finding, best) ? finding : best));

/** One that no flush can cure says the least. */
const plainness = ({ crash }: Finding): number => crash!.lost.length || Number.POSITIVE_INFINITY;

/** The fewest lost lines say the most; of as many, those with what they had to be persisted before; then the fewest stores. */
function isPlainer(one: Finding, other: Finding): boolean {
  const rank = (finding: Finding): readonly number[] => {
    const { lost, lostLines, kept } = finding.crash!;
    return [lost.length === 0 ? Number.POSITIVE_INFINITY : lostLines, kept.length > 0 ? 0 : 1, plainness(finding)];
  };
  const [ours, theirs] = [rank(one), rank(other)];
  const apart = ours.findIndex((value, at) => value !== theirs[at]);
  return apart >= 0 && ours[apart]! < theirs[apart]!;
}

const shownEnds = 4;

/** Each way to fail once, but for the one that is shown. */
function otherEnds(first: Finding, alike: readonly Finding[]): CrashFacts["otherEnds"] {
  const byName = new Map(alike.map(({ crash }) => [failureName(crash!.verdict), crash!]));
  byName.delete(failureName(first.crash!.verdict));
  return [...byName.values()].slice(0, shownEnds).map(({ verdict, stderr }) => ({ verdict, stderr }));
}

/**
 * A warning adds nothing to an error with the same cause, nor what a store leaves behind to that store, nor a library's store to one
 * of the program's own.
 */
function telling(all: readonly Finding[]): readonly Finding[] {
  const worst = worstOf(all);
  const turned = new Set(worst.map(turnedAt));
  return ownOf(worst.filter((finding) => !isLeftBy(finding, turned)));
}

function ownOf(findings: readonly Finding[]): readonly Finding[] {
  const own = findings.filter((finding) => !isOfLibrary(finding));
  return own.length > 0 ? own : findings;
}

function worstOf(all: readonly Finding[]): readonly Finding[] {
  const errors = all.filter(({ rule }) => rule.severity === "error");
  return errors.length > 0 ? errors : all;
}

function merged(all: readonly Finding[]): Finding {
  const worst = worstOf(all);
  const alike = ownOf(worst);
  const first = plainest(all);
  const others = new Map(alike.filter((each) => each !== first).map((finding) => [placeOf(finding.frames), finding]));
  others.delete(placeOf(first.frames));
  const elsewhere = [...others.values()]
    .slice(0, shownPlaces)
    .map(({ cause, frames }): PlacedMark => ({ mark: cause, frames }));
  const count = all.reduce((sum, finding) => sum + finding.count, 0);
  assert(first.crash !== undefined, "crash injection's findings tell of a crash");
  const strict = alike.some(({ crash }) => crash?.strict) && { strict: true as const };
  const alsoLost = first.crash.turning === undefined ? [] : lostBeside(worst);
  const crash = {
    ...{ ...first.crash, ...strict, otherEnds: otherEnds(first, worst), elsewhere },
    ...(alsoLost.length > 0 && { alsoLost }),
  };
  const also = [...new Set(all.flatMap(namesOf))].filter((each) => each !== first.fingerprint);
  return { ...first, crash, count, ...(also.length > 0 && { also }) };
}

/** What the crashes lose, each statement once: where one event turns recovery, what would have mended that. */
function lostBeside(all: readonly Finding[]): readonly PlacedMark[] {
  const lost = all.flatMap(({ crash }) => firstOfEachLine(crash!.lost));
  return [...new Map(lost.map(({ mark, frames }) => [statementAt(frames), { mark, frames }])).values()];
}

/** Its fingerprint, and those of mistakes that its stores would be by themselves. */
const namesOf = ({ fingerprint, crash }: Finding): readonly string[] => [
  fingerprint,
  ...(crash!.leaked === undefined ? firstOfEachLine(crash!.lost).map(({ frames }) => mistakeOf(frames)) : []),
];
