/** What a report says of the crash that shows a finding, as data: writes, the cut, recovery's end, the cure, the witness. */

import type { CrashFacts, Finding, PlacedMark, PreviousCrash, StoreFact } from "../../crash/finding/index.ts";
import { type Choice, choiceText } from "../../crash/states/index.ts";
import type * as document from "../document/index.ts";
import { eventWord, factWords, type WriteFact } from "../document/index.ts";
import { survivorOf, type Turning } from "./crash-case.ts";
import { cutText } from "./crash-words.ts";
import { openPart } from "./open-part.ts";
import { eventPlace, hexBytes, hexText, known, type PlaceTable } from "./place-table.ts";
import { helperText, whereText } from "./place-text.ts";
import { recoveryPart } from "./recovery-part.ts";
import { objectName, writeText } from "./write-text.ts";
import { writesOf } from "./writes.ts";

export const markedPlace = (
  role: document.PlaceRole,
  says: string,
  placed: PlacedMark,
  places: PlaceTable,
): document.MarkedPlace =>
  known<document.MarkedPlace>({
    role,
    says,
    ...eventPlace(placed, places),
    address: hexText(placed.mark.address),
    size: placed.mark.size,
    value: hexText(placed.mark.value),
  });

function choiceOf(choice: Choice): document.Choice {
  if (choice.kind === "input") return { kind: "input", at: choice.at, bytes: hexBytes(choice.bytes) };
  if (choice.kind !== "cut") return choice;
  const { path, ...cut } = choice;
  return { ...cut, file: path };
}

function verdictOf({ verdict, stdout, expected, leaked }: CrashFacts): document.Verdict {
  if (leaked !== undefined) return { kind: "leak", objects: leaked };
  return expected === undefined ? endOf(verdict) : { kind: "output", printed: stdout, expected };
}

export function endOf(verdict: CrashFacts["verdict"]): document.Verdict {
  if (verdict.kind !== "signal") return verdict;
  return known<document.SignalVerdict>({ kind: "signal", name: verdict.name, address: hexText(verdict.address) });
}

const recoveryOf = (crash: CrashFacts, { recovery, program }: document.Run, places: PlaceTable): document.Recovery =>
  known<document.Recovery>({
    command: crash.command ?? recovery ?? program,
    verdict: verdictOf(crash),
    stdout: crash.stdout === "" ? undefined : crash.stdout,
    stderr: crash.stderr === "" ? undefined : crash.stderr,
    otherEnds: crash.otherEnds.length === 0 ? undefined : crash.otherEnds.map(({ verdict }) => endOf(verdict)),
    end: crash.ended && eventPlace(crash.ended, places),
  });

const cureOf = (writes: readonly document.Write[]): document.Cure =>
  writes.length === 0 ? { kind: "none", stores: [] } : { kind: "keep", stores: writes.map((_, at) => at) };

function previousCut({ before, cut, lost }: PreviousCrash, places: PlaceTable): document.PreviousCut {
  const writes = writesOf(lost, places);
  return { before, ...eventPlace(cut, places), ...(writes.length > 0 && { lost: writes }) };
}

/**
 * Where a good state turns into a bad one, and where that would have been mended: told by the function that does both, one after
 * the other, for the helpers that it does them with say nothing.
 */
export function turningPart({ turning, lost }: CrashFacts, places: PlaceTable): Turning | undefined {
  if (turning === undefined) return undefined;
  const [until] = lost.toSorted((a, b) => a.mark.seq - b.mark.seq);
  if (until === undefined) return { after: places.add(turning.frames) };
  const [after, end] = places.parting(turning.frames, until.frames) ?? [];
  return { after: places.add(turning.frames, after), until: places.add(until.frames, end) };
}

/**
 * What was lost and what survived, by the lines of the function that did the one itself and called a helper for the other: that is
 * where the two lack an order.
 */
function pairOf(crash: CrashFacts, places: PlaceTable) {
  const { lost, earlier = [], kept, torn, turning, isCauseKnown } = crash;
  const byEvent = (stores: readonly StoreFact[]) => stores.toSorted((a, b) => a.mark.seq - b.mark.seq);
  const [first, last] = [byEvent(isOfObject(crash) ? [...earlier, ...lost] : lost)[0], byEvent(kept).at(-1)];
  const isPair = first !== undefined && last !== undefined && !torn && !isCauseKnown && turning === undefined;
  const parting = (one: StoreFact, two: StoreFact) => {
    const positions = places.parting(one.frames, two.frames);
    const isDirect = positions?.[0] === places.own(one.frames) || positions?.[1] === places.own(two.frames);
    return isDirect ? positions : undefined;
  };
  return {
    ofLost: (store: StoreFact) => (isPair ? parting(store, last)?.[0] : undefined),
    ofKept: (store: StoreFact) => (isPair ? parting(first, store)?.[1] : undefined),
  };
}

/** Whether what was lost is part of an object that the same call wrote, and that has to be durable as a whole. */
const isOfObject = ({ lost, earlier = [] }: CrashFacts): boolean =>
  earlier.length > 0 && objectName([...earlier, ...lost].map(({ name }) => name)) !== undefined;

export interface ToldWrite {
  readonly write: document.Write;
  /** It was lost, or the same statement stored some of it that was. Else it was kept, and nothing has made it durable either. */
  readonly isLost: boolean;
}

/**
 * What was lost and what the same call stored to that line before: an object's writes in their order, else the lost ones first. Of one
 * line of source, what was lost says more.
 */
export function toldWrites(crash: CrashFacts, places: PlaceTable): readonly ToldWrite[] {
  const writes = writesOf([...(crash.earlier ?? []), ...crash.lost], places, pairOf(crash, places).ofLost);
  const told = writes.map((write) => ({ write, isLost: holdsLost(write, crash) }));
  const lines = told.map(({ write }) => whereText(places, write.place));
  const isFirst = ({ isLost }: ToldWrite, at: number) => isLost && (!isOfObject(crash) || lines[at] === lines[0]);
  return [...told.filter(isFirst), ...told.filter((one, at) => !isFirst(one, at))];
}

const holdsLost = ({ offset = 0, size, file }: document.Write, { lost }: CrashFacts): boolean =>
  lost.some(
    ({ path, mark: { address = 0, size: length = 0 } }) =>
      path === file && address < offset + size && offset < address + length,
  );

export function crashPart(crash: CrashFacts, run: document.Run, places: PlaceTable) {
  const { choices } = crash.witness;
  const { ofLost, ofKept } = pairOf(crash, places);
  const lost = writesOf(crash.lost, places, ofLost);
  const earlier = writesOf(crash.earlier ?? [], places, ofLost);
  const kept = writesOf(crash.kept, places, ofKept);
  return {
    lost,
    ...(earlier.length > 0 && { earlier }),
    ...(crash.torn && { torn: true }),
    ...(crash.creating !== undefined && { creating: crash.creating }),
    ...(kept.length > 0 && { kept }),
    ...(crash.strict && { strict: true }),
    ...(crash.previous && { previous: crash.previous.map((each) => previousCut(each, places)) }),
    ...(crash.open && openPart(crash.open, places)),
    cut: { before: crash.before, ...eventPlace(crash.cut, places) },
    recovery: recoveryOf(crash, run, places),
    cure: cureOf(lost),
    witness: { choices: choices.map(choiceOf), text: choiceText(choices) },
  };
}

const shownWrites = 4;

function lossOf({ torn }: CrashFacts, [first]: readonly ToldWrite[], at: number): WriteFact {
  if (at > 0) return first!.isLost ? "lost-too" : "lost";
  return !first!.isLost ? "not-durable" : torn ? "lost-in-part" : "lost";
}

/** `at`, where the place is told by another call than the one that wrote. */
function writtenPlace(
  role: document.PlaceRole,
  fact: WriteFact,
  write: document.Write,
  places: PlaceTable,
  at = write.place,
): document.MarkedPlace {
  const { event, thread, size, offset = 0 } = write;
  const says = `${factWords[fact]}: ${writeText(write)}${helperText(places, at)}`;
  return { role, fact, says, event, thread, place: at, address: hexText(offset)!, size };
}

function turningText({ turning, leaked }: CrashFacts): string {
  if (turning === undefined) return leaked === undefined ? "recovery fails from here on" : "leaked from here on";
  const event = eventWord(turning.kind);
  return leaked === undefined
    ? `recovery succeeds before this ${event} and fails after it`
    : `nothing is leaked before this ${event}, and something after it`;
}

/** The places of a crash: what was lost, each statement once; where the power was cut; where recovery ended. */
export function crashPlaces(
  { cause, frames }: Finding,
  crash: CrashFacts,
  parts: ReturnType<typeof crashPart>,
  places: PlaceTable,
): document.MarkedPlace[] {
  const writes = toldWrites(crash, places);
  const lost = writes
    .slice(0, shownWrites)
    .map(({ write, isLost }, at) =>
      isLost || at === 0
        ? writtenPlace(at === 0 ? "cause" : "lost", lossOf(crash, writes, at), write, places)
        : writtenPlace("related", "not-durable-either", write, places),
    );
  const survivor = parts.kept?.length ? survivorOf(parts) : undefined;
  const kept = survivor === undefined ? [] : [writtenPlace("survives", "survives", survivor, places)];
  const cut = markedPlace("cut", cutText(crash), crash.cut, places);
  const turns = crash.turning !== undefined;
  const turning = turningText(crash);
  const turned = turningPart(crash, places);
  const placed = markedPlace("cause", turning, crash.turning ?? { mark: cause, frames }, places);
  const first: document.MarkedPlace = turns ? { ...placed, fact: "turns" } : placed;
  const after =
    turned === undefined
      ? first
      : { ...first, place: turned.after, says: `${turning}${helperText(places, turned.after)}` };
  const until = writes.slice(0, 1).map(({ write }) => writtenPlace("lost", "until", write, places, turned?.until));
  const told = turns ? [after, ...until] : lost.length > 0 ? [...lost, ...kept] : [first];
  return [
    ...told,
    // A place that is told by the call itself says it already.
    ...(helperText(places, told[0]!.place) === "" ? wrongCallPart(crash, { mark: cause, frames }, places) : []),
    ...(turns || lost.length > 0 ? [cut] : []),
    ...(recoveryPart(crash, places)?.places ?? []),
    ...(crash.ended === undefined ? [] : [markedPlace("end", "recovery ended here", crash.ended, places)]),
    ...crash.elsewhere.map((place) => markedPlace("also", "the same mistake shows here", place, places)),
  ];
}

/** The one call of a helper that fails. */
export function wrongCallPart(
  { wrongCall }: CrashFacts,
  { mark, frames }: PlacedMark,
  places: PlaceTable,
): readonly document.MarkedPlace[] {
  // Whose code it is, the report knows better.
  if (wrongCall === undefined || wrongCall.at <= (places.own(frames) ?? 0)) return [];
  const { seq: event, thread } = mark;
  const says = "called from here; at its other calls recovery succeeds (tried)";
  return [{ role: "related", fact: "wrong-call", says, event, thread, place: places.add(frames, wrongCall.at) }];
}
