/** Fixes and refusals in words: two sentences each, the theorem a fix rests on, and the places. */
import { assert } from "../../base/index.ts";
import { type Finding, frameWords, ownCalls, placeWords } from "../../crash/finding/index.ts";
import type { Insert } from "../../crash/insertions/index.ts";
import type { RepairCost } from "./cost.ts";
import type { Hoisted } from "./hoist.ts";
import type { AddedRange } from "./in-source.ts";
import type { Refusal } from "./needs.ts";
import type { KeptFinding, Needless } from "./remove.ts";
import type { Fix } from "./repair.ts";
import type { PlacedInsert } from "./source-patch.ts";

/** Hippocrates, section 3.4: what is inserted cures the bug and does no harm. */
const theorems: Readonly<Record<string, string>> = {
  fence: "Theorem 1",
  flush: "Theorem 2",
  "flush and fence": "Theorem 3",
};

function kindOf(inserts: readonly Insert[]): string {
  const ops = new Set(inserts.map(({ op }) => op));
  return ops.size === 2 ? "flush and fence" : [...ops].join();
}

/** "Scores: update (a.c:3) 0, modify (a.c:8) 0, foo (a.c:19) 1; highest: the call in foo." */
function scoresText({ candidates, level, why }: Hoisted): string {
  const scores = candidates.map(
    ({ frame, score }) => `${frameWords(frame)} ${score === Number.NEGATIVE_INFINITY ? "-∞" : score}`,
  );
  const [copied, caller] = [candidates[level - 1]?.frame.function, candidates[level]?.frame.function];
  const called =
    why === undefined
      ? `${caller} calls a copy of ${copied} that flushes`
      : `${caller} flushes after the call of ${copied}`;
  const chosen = level === 0 ? "it stays at the store" : called;
  return `Scores: ${scores.join(", ")}; ${chosen}${why === undefined ? "" : `, because ${why}`}.`;
}

function placedText({ frame, statements, unplaced, instead }: PlacedInsert, kind: string): string {
  const at = instead === undefined ? `  after ${frameWords(frame)}: ` : `  at ${frameWords(frame)}, for ${instead}: `;
  return at + (unplaced === undefined ? statements.join(" ") : `a ${kind}; not in the source, because ${unplaced}`);
}

/** Flushes that the program's fences lack, each place once. */
export const durableText = (fixes: readonly Fix[], placed: readonly PlacedInsert[]): string =>
  [
    "flushed: what is stored and not flushed before the next fence",
    "  A flush makes each store durable at that fence, and does no harm (Theorem 2).",
    ...new Set(fixes.flatMap(({ hoisted }) => (hoisted === undefined ? [] : [`  ${scoresText(hoisted)}`]))),
    ...new Set(placed.map((one) => placedText(one, "flush"))),
  ].join("\n");

const isOfOrderAlone = ({ crash, order }: Finding): boolean => crash === undefined && order !== undefined;

/** From where the source is changed on, if that is one of the calls that led there: what lies below is a library's. */
function ownFrames({ frames }: Finding, placed: readonly PlacedInsert[]): Finding["frames"] {
  const at = frames.findIndex((one) =>
    placed.some(({ frame }) => frame?.file === one.file && frame?.line === one.line),
  );
  return frames.slice(Math.max(0, at));
}

export function fixText({ finding, inserts, hoisted }: Fix, placed: readonly PlacedInsert[]): string {
  const kind = kindOf(inserts);
  const theorem = (hoisted?.level ?? 0) > 0 ? "Theorem 4" : theorems[kind];
  const places = placed.map((one) => placedText(one, kind));
  assert(finding !== undefined, "a fix that is told alone cures a finding");
  return [
    `fixed: ${placeWords(ownFrames(finding, placed))}: ${finding.rule.title}`,
    `  A ${kind} makes the store durable before anything depends on it, and does no harm (${theorem}).`,
    `  Verified in the running code: ${isOfOrderAlone(finding) ? "blackout robust and the check find" : "the same check finds"} neither this nor anything new.`,
    ...(hoisted === undefined ? [] : [`  ${scoresText(hoisted)}`]),
    ...places,
  ].join("\n");
}

/** Of what flushes and fences cure, and the source has no words for. */
export function withoutText({ finding, inserts }: Fix, placed: readonly PlacedInsert[]): string {
  const kind = kindOf(inserts);
  assert(finding !== undefined, "a fix that is told alone cures a finding");
  return [
    `not fixed: ${placeWords(ownFrames(finding, placed))}: ${finding.rule.title}`,
    `  A ${kind} cures it in the running code, and the patch has none of it.`,
    ...new Set(placed.map((one) => placedText(one, kind))),
  ].join("\n");
}

export const refusalText = ({ finding, reason, sites }: Refusal): string =>
  [
    `not fixed: ${placeWords(finding.frames)}: ${finding.rule.title}`,
    `  No flush or fence cures it: ${reason}.`,
    ...new Set(sites.map(({ frames }) => `  see ${placeWords(ownCalls(frames))}`)),
  ].join("\n");

/** A range that a transaction lacks: what adds it, and whether anybody has seen that cure it. */
export function addedText({ store: { finding, shownBy }, placed }: AddedRange): string {
  const { frame, statements, unplaced } = placed;
  const said = `${placeWords(frame === undefined ? finding.frames : [frame, ...finding.frames])}: ${finding.rule.title}`;
  if (unplaced !== undefined)
    return `not fixed: ${said}\n  What adds it has no place in the source, because ${unplaced}.`;
  const isShown = shownBy.some(({ crash }) => crash !== undefined);
  const crashes = isShown ? " Recovery fails after a crash because of it." : "";
  return [
    `proposed: ${said}`,
    `  A transaction brings back what was added to it, and nothing else.${crashes}`,
    `  before ${frameWords(frame)}: ${statements.join(" ")}`,
    "  Not tried in the running code: what tests it is to build the program with it (--rebuild).",
  ].join("\n");
}

/** Whether the program that was built with it still shows the mistake: lines have moved, functions have not. */
export function triedText(
  { store: { finding, shownBy }, placed: { frame } }: AddedRange,
  left: readonly Finding[],
): string {
  const nameOf = ({ frames }: Finding) => ownCalls(frames)[0]?.function;
  const isSame = (one: Finding) =>
    one.rule.id === finding.rule.id
      ? nameOf(one) === nameOf(finding)
      : shownBy.some((shown) => shown.fingerprint === one.fingerprint);
  const result = left.some(isSame) ? "tested: not enough" : "tested: the failure is gone";
  return `blackout: ${frameWords(frame)}: ${result}`;
}

/** What a limit left no time for. */
export const untriedText = ({ frames, rule }: Finding): string => `not tried: ${placeWords(frames)}: ${rule.title}`;

/** What is no matter of flushes. */
export const leftText = ({ frames, rule }: Finding): string =>
  `not fixed by flushes: ${placeWords(frames)}: ${rule.title}`;

export const removedText = ({ frame, statement }: Needless): string =>
  [
    `removed: ${frameWords(frame)}: ${statement.text}`,
    "  On every path through its function all of it is flushed or fenced already, and nothing is stored or called in between.",
    "  Verified in the running code: without it the same check finds the same errors, and the program prints the same.",
  ].join("\n");

export const keptText = ({ finding, frame, reason }: KeptFinding): string =>
  `kept: ${frame === undefined ? placeWords(finding.frames) : frameWords(frame)}: ${finding.rule.title}, but ${reason}`;

const count = (number: number, word: string): string =>
  `${number} ${word}${number === 1 ? "" : word === "flush" ? "es" : "s"}`;

/** "20 flushes and 20 fences more in this run, 3 of volatile memory". */
export const costText = ({ flushes, volatile, fences }: RepairCost): string =>
  `${count(flushes, "flush")} and ${count(fences, "fence")} more in this run${volatile === 0 ? "" : `, ${volatile} of volatile memory`}`;
