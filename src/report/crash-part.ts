/** What a report says of the crash that shows a finding, as data: writes, the cut, recovery's end, the cure, the witness. */
import { type Choice, choiceText } from "../crash/index.ts";
import type * as document from "../document/index.ts";
import { baseName } from "../document/index.ts";
import type { CrashFacts, Finding, PlacedMark } from "../finding/index.ts";
import { cutText } from "./crash-words.ts";
import { hexText, known, type PlaceTable } from "./place-table.ts";
import { writesOf } from "./writes.ts";

export const eventPlace = ({ mark, frames }: PlacedMark, places: PlaceTable): document.EventPlace => ({
  event: mark.seq,
  thread: mark.thread,
  place: places.add(frames),
});

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

const hexBytes = (bytes: readonly number[]): string => bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

function choiceOf(choice: Choice): document.Choice {
  if (choice.kind === "input") return { kind: "input", at: choice.at, bytes: hexBytes(choice.bytes) };
  if (choice.kind !== "cut") return choice;
  const { path, ...cut } = choice;
  return { ...cut, file: path };
}

function verdictOf({ verdict, stdout, expected }: CrashFacts): document.Verdict {
  if (expected !== undefined) return { kind: "output", printed: stdout, expected };
  if (verdict.kind !== "signal") return verdict;
  return known<document.SignalVerdict>({ kind: "signal", name: verdict.name, address: hexText(verdict.address) });
}

const recoveryOf = (crash: CrashFacts, { recovery, program }: document.Run, places: PlaceTable): document.Recovery =>
  known<document.Recovery>({
    command: recovery ?? program,
    verdict: verdictOf(crash),
    stdout: crash.stdout === "" ? undefined : crash.stdout,
    stderr: crash.stderr === "" ? undefined : crash.stderr,
    end: crash.ended && eventPlace(crash.ended, places),
  });

const cureOf = (writes: readonly document.Write[]): document.Cure =>
  writes.length === 0 ? { kind: "none", stores: [] } : { kind: "keep", stores: writes.map((_, at) => at) };

export function crashPart(crash: CrashFacts, run: document.Run, places: PlaceTable) {
  const { choices } = crash.witness;
  const lost = writesOf(crash.lost, places);
  const kept = writesOf(crash.kept, places);
  return {
    lost,
    ...(kept.length > 0 && { kept }),
    cut: { before: crash.before, ...eventPlace(crash.cut, places) },
    recovery: recoveryOf(crash, run, places),
    cure: cureOf(lost),
    witness: { choices: choices.map(choiceOf), text: choiceText(choices) },
  };
}

/** "17 bytes at 0x48 of /pm/pool". */
const rangeText = ({ size, offset = 0, file }: document.Write): string =>
  `${size === 1 ? "1 byte" : `${size} bytes`} at ${hexText(offset)} of ${baseName(file ?? "")}`;

const shownWrites = 4;

/** The places of a crash: what was lost, each statement once; where the power was cut; where recovery ended. */
export function crashPlaces(
  { cause, frames }: Finding,
  crash: CrashFacts,
  writes: readonly document.Write[],
  places: PlaceTable,
): document.MarkedPlace[] {
  const lost = writes.slice(0, shownWrites).map((write, at): document.MarkedPlace => {
    const { event, thread, place, size, offset = 0 } = write;
    const says = `${at === 0 ? "this write is lost" : "lost with it"}: ${rangeText(write)}`;
    return { role: at === 0 ? "cause" : "lost", says, event, thread, place, address: hexText(offset)!, size };
  });
  const kept = crash.kept
    .slice(0, 1)
    .map((store) => markedPlace("survives", "this survives, and needs it", store, places));
  const cut = markedPlace("cut", cutText(crash), crash.cut, places);
  const turns = crash.turning !== undefined;
  const told = turns
    ? `recovery succeeds before this ${crash.turning.kind} and fails after it`
    : "recovery fails from here on";
  const first = markedPlace("cause", told, { mark: cause, frames }, places);
  return [
    ...(lost.length > 0 ? [...lost, ...kept, cut] : turns ? [first, cut] : [first]),
    ...(crash.ended === undefined ? [] : [markedPlace("end", "recovery ended here", crash.ended, places)]),
    ...crash.elsewhere.map((place) => markedPlace("also", "also because of this", place, places)),
  ];
}
