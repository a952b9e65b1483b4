/** What a report says of the crash that shows a finding, as data: writes, the cut, recovery's end, the cure, the witness. */
import { type Choice, choiceText } from "../crash/index.ts";
import type * as document from "../document/index.ts";
import type { CrashFacts, Finding, PlacedMark, PreviousCrash } from "../finding/index.ts";
import { survivorOf, type Turning } from "./crash-case.ts";
import { cutText, eventWord } from "./crash-words.ts";
import { openPart } from "./open-part.ts";
import { eventPlace, hexBytes, hexText, known, type PlaceTable } from "./place-table.ts";
import { writeText } from "./write-text.ts";
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

function verdictOf({ verdict, stdout, expected }: CrashFacts): document.Verdict {
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
export function turningPart({ turning, lost, earlier = [] }: CrashFacts, places: PlaceTable): Turning | undefined {
  if (turning === undefined) return undefined;
  const [until] = [...lost, ...earlier].sort((a, b) => a.mark.seq - b.mark.seq);
  if (until === undefined) return { after: places.add(turning.frames) };
  return (
    places.addMeeting(turning.frames, until.frames) ?? {
      after: places.add(turning.frames),
      until: places.add(until.frames),
    }
  );
}

export function crashPart(crash: CrashFacts, run: document.Run, places: PlaceTable) {
  const { choices } = crash.witness;
  const lost = writesOf(crash.lost, places);
  const earlier = writesOf(crash.earlier ?? [], places);
  const kept = writesOf(crash.kept, places);
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

const writtenPlace = (role: document.PlaceRole, says: string, write: document.Write): document.MarkedPlace => {
  const { event, thread, place, size, offset = 0 } = write;
  return { role, says: `${says}: ${writeText(write)}`, event, thread, place, address: hexText(offset)!, size };
};

/** The places of a crash: what was lost, each statement once; where the power was cut; where recovery ended. */
export function crashPlaces(
  { cause, frames }: Finding,
  crash: CrashFacts,
  parts: ReturnType<typeof crashPart>,
  places: PlaceTable,
): document.MarkedPlace[] {
  const writes = [...(parts.earlier ?? []), ...parts.lost].sort((a, b) => a.event - b.event);
  const lost = writes
    .slice(0, shownWrites)
    .map((write, at) =>
      writtenPlace(
        at === 0 ? "cause" : "lost",
        at > 0 ? "lost too" : crash.torn ? "lost, unlike the rest" : "lost",
        write,
      ),
    );
  const survivor = parts.kept?.length ? survivorOf({ ...parts, cutIsUsers: true }) : undefined;
  const kept = survivor === undefined ? [] : [writtenPlace("survives", "survives", survivor)];
  const cut = markedPlace("cut", cutText(crash), crash.cut, places);
  const turns = crash.turning !== undefined;
  const told = turns
    ? `recovery succeeds before this ${eventWord(crash.turning.kind)} and fails after it`
    : "recovery fails from here on";
  const turned = turningPart(crash, places);
  const first = {
    ...markedPlace("cause", told, crash.turning ?? { mark: cause, frames }, places),
    ...(turned && { place: turned.after }),
  };
  const until = writes.slice(0, 1).map((write) => ({
    ...writtenPlace("lost", "until this", write),
    ...(turned?.until !== undefined && { place: turned.until }),
  }));
  return [
    ...(turns ? [first, ...until, cut] : lost.length > 0 ? [...lost, ...kept, cut] : [first]),
    ...(crash.ended === undefined ? [] : [markedPlace("end", "recovery ended here", crash.ended, places)]),
    ...crash.elsewhere.map((place) => markedPlace("also", "also because of this", place, places)),
  ];
}
