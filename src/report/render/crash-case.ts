/**
 * What kind of mistake a crash shows, and its headline and advice in the user's terms. Always: each kind has its own advice;
 * none tells to flush where no flush can help.
 */
import type * as document from "../document/index.ts";
import { baseName } from "../document/index.ts";
import type { ToldWrite } from "./crash-part.ts";
import { helperText, whereNear, whereText } from "./place-text.ts";
import { commonName, objectName, rangeText } from "./write-text.ts";

/** The place after which recovery fails though every store is kept, and that of the store that would have mended it. */
export interface Turning {
  readonly after: number;
  readonly until?: number;
}

/** How recovery ended; where, if that is a line of the user's. */
export interface Ending {
  readonly kind: document.Verdict["kind"];
  readonly place?: number;
  /** What recovery had done with what it failed on: "recover (log.c:40-52) reads what is left". */
  readonly before?: string;
}

interface Lost {
  /** All that was lost and counts, the one to blame first. */
  readonly writes: readonly document.Write[];
  /** What to call them together. */
  readonly name: string;
}

export type CrashCase =
  /** What came later survives; what it needs does not. */
  | { readonly kind: "unordered"; readonly lost: Lost; readonly survivor: document.Write }
  /** Of what one statement wrote, a part survives; or either of two writes without the other. */
  | { readonly kind: "torn"; readonly lost: Lost; readonly survivor: document.Write | undefined }
  /** Nothing in particular has to survive for it: the write was owed by then. */
  | { readonly kind: "owed"; readonly lost: Lost; readonly cut: document.Cut; readonly atEnd: boolean }
  /** Every store was kept; recovery fails from this event on, until a store that was still to come. */
  | ({ readonly kind: "unfinished"; readonly ending: Ending } & Turning)
  | { readonly kind: "unrecoverable"; readonly cut: document.Cut; readonly ending: Ending }
  /** Recovery goes well, and leaves objects that nothing refers to: from an event on, or without these writes, or at this cut. */
  | { readonly kind: "leaking"; readonly from: Turning; readonly lost: document.Write | undefined }
  /** The file was not complete yet. */
  | { readonly kind: "creation"; readonly file: string; readonly cut: document.Cut };

/** What a crash consists of in a report. */
export interface CrashParts {
  /** What was lost and what is not durable either, as one statement or call wrote it; the one to blame first. */
  readonly writes: readonly ToldWrite[];
  readonly kept?: readonly document.Write[];
  /** A part of what the same statement wrote was kept. */
  readonly torn?: boolean;
  readonly creating?: string;
  readonly leaks?: boolean;
  readonly cut: document.Cut;
  /** Whether the power was cut in code of the user's, or in what it called. */
  readonly cutIsUsers: boolean;
  readonly turning?: Turning;
  readonly ending: Ending;
}

const byEvent = (writes: readonly document.Write[]): readonly document.Write[] =>
  [...writes].sort((a, b) => a.event - b.event);

/** What made the lost ones count tends to come last. */
export const survivorOf = ({ kept = [] }: Pick<CrashParts, "kept">): document.Write | undefined => byEvent(kept).at(-1);

export function caseOf(parts: CrashParts): CrashCase {
  if (parts.creating !== undefined) return { kind: "creation", file: parts.creating, cut: parts.cut };
  const writes = parts.writes.map(({ write }) => write);
  const [first] = writes;
  if (parts.leaks === true) {
    const lost = parts.turning === undefined ? first : undefined;
    return { kind: "leaking", from: parts.turning ?? { after: parts.cut.place }, lost };
  }
  const { ending } = parts;
  if (parts.turning !== undefined) return { kind: "unfinished", ending, ...parts.turning };
  if (first === undefined) return { kind: "unrecoverable", cut: parts.cut, ending };
  const lost = { writes, name: objectName(writes.map(({ name }) => name)) ?? lostName(parts.writes) ?? nameOf(first) };
  const survivor = survivorOf(parts);
  if (parts.torn === true) return { kind: "torn", lost, survivor };
  if (survivor === undefined)
    return { kind: "owed", lost, cut: parts.cut, atEnd: parts.cut.before === "end" || !parts.cutIsUsers };
  return { kind: "unordered", lost, survivor };
}

const nameOf = (write: document.Write): string => write.name ?? rangeText(write);

/** What those that were lost have in common. */
const lostName = (writes: readonly ToldWrite[]): string | undefined =>
  objectName(writes.filter(({ isLost }) => isLost).map(({ write }) => write.name));

type Words = { readonly headline: string; readonly advice: string };
/** A place in words; `near` another one: in the innermost function that both were called from. */
type At = (place: number, near?: number) => string;
/** `cause`: the place to blame, with who called it where that matters. */
type Teller<K> = (crash: CrashCase & { readonly kind: K }, at: At, cause: (place: number) => string) => Words;

const endings: { readonly [K in Ending["kind"]]?: string } = {
  hang: "makes recovery hang",
  deadlock: "makes recovery wait for ever",
  signal: "kills recovery",
};

/** Where recovery was stuck or killed is often its own mistake; an exit is mostly taken in a helper. */
const broken = ({ kind, place }: Ending, at: At): string =>
  endings[kind] === undefined || place === undefined ? "breaks recovery" : `${endings[kind]} at ${at(place)}`;

const beforeText = ({ before }: Ending): string => (before === undefined ? "" : `: ${before}`);

/** "cell->value and cell->inverse". */
function bothNames({ name, writes }: Lost, survivor: document.Write): string {
  const common = commonName([...writes.map((write) => write.name), survivor.name]);
  return common === undefined ? `${name} and ${nameOf(survivor)}` : `all of ${common}`;
}

const beforeThat = ({ before }: document.Cut): string => (before === "output" ? "that is printed" : "that");

function whenText({ after, until }: Turning, at: At, cause: (place: number) => string): string {
  const ends = at(until ?? after);
  return ends === at(after) ? `right after ${cause(after)}` : `between ${cause(after)} and ${ends}`;
}

/** Whether a line of a file stands above another of it, as "list.c:60" does "list.c:66". */
function isAbove(above: string, below: string): boolean {
  const [[file, line], [otherFile, otherLine]] = [above.split(":"), below.split(":")] as [string[], string[]];
  return file === otherFile && Number(line) < Number(otherLine);
}

const tellers: { readonly [K in CrashCase["kind"]]: Teller<K> } = {
  unordered: ({ lost, survivor }, at, cause) => {
    const [later, first] = [at(survivor.place), at(lost.writes[0]!.place)];
    const what =
      later === first
        ? `an earlier ${later} may be lost while a later one is kept`
        : `${cause(lost.writes[0]!.place)} may be lost while ${later} is kept`;
    return {
      headline: `${what}: nothing makes ${lost.name} durable before ${nameOf(survivor)}`,
      advice: `persist ${lost.name} before ${later}`,
    };
  },
  torn: ({ lost, survivor }, at, cause) => {
    const place = lost.writes[0]!.place;
    const isOne = survivor === undefined || at(survivor.place) === at(place);
    const advice =
      "at most 8 aligned bytes persist at once: write a copy aside, persist it and switch to it with one store, or log the old value first";
    return isOne
      ? {
          headline: `${cause(place)} may be kept only in part: nothing makes all of ${lost.name} durable at once`,
          advice,
        }
      : {
          headline: `either of ${cause(place)} and ${at(survivor.place)} may be kept without the other: nothing makes ${bothNames(lost, survivor)} durable at once`,
          advice,
        };
  },
  owed: ({ lost, cut, atEnd }, at, cause) => {
    const { place } = lost.writes[0]!;
    const [what, when] = [`${cause(place)} may still be lost`, at(cut.place, place)];
    const rightAfter = `persist ${lost.name} right after ${at(place)}`;
    if (atEnd)
      return { headline: `${what} when the program is done: nothing makes ${lost.name} durable`, advice: rightAfter };
    const before = `nothing makes ${lost.name} durable before ${beforeThat(cut)}`;
    if (when === at(place))
      return { headline: `${what} by a crash when that line runs again: ${before}`, advice: rightAfter };
    return isAbove(when, at(place))
      ? { headline: `${what} by a crash when ${when} runs next: ${before}`, advice: rightAfter }
      : { headline: `${what} by a crash at ${when}: ${before}`, advice: `persist ${lost.name} before ${when}` };
  },
  leaking: ({ from, lost }, at, cause) => ({
    headline:
      lost === undefined
        ? `a crash ${whenText(from, at, cause)} leaks an object: it stays allocated, and nothing refers to it`
        : `a crash that loses what ${cause(lost.place)} stores leaks an object: it stays allocated, and nothing refers to it`,
    advice:
      "do both in one step: allocate right into the place that refers to it, or link and allocate (unlink and free) in one transaction; or let recovery free what nothing refers to",
  }),
  unfinished: ({ after, until, ending }, at, cause) => {
    const when = whenText({ after, ...(until !== undefined && { until }) }, at, cause);
    return {
      headline: `a crash ${when} ${broken(ending, at)}, even with every store kept${beforeText(ending)}`,
      advice:
        "no flush or fence can help: let one store make the update count (copy, persist, switch), log it to be finished or undone, or let recovery cope",
    };
  },
  unrecoverable: ({ cut, ending }, at) => ({
    headline: `a crash at ${at(cut.place)} ${broken(ending, at)}, even with every store kept`,
    advice: "no flush or fence can help: what the program leaves here is what recovery has to cope with",
  }),
  creation: ({ file, cut }, at) => ({
    headline: `${at(cut.place)}: a crash while ${baseName(file)} is being created leaves what recovery fails on`,
    advice: "create it under another name, then rename it, or make it with --setup",
  }),
};

/** `caller`: the call to blame, where the place of the cause is in a helper. */
export function crashWords(crash: CrashCase, tables: document.PlaceTables, caller?: number): Words {
  const at: At = (place, near) => (near === undefined ? whereText(tables, place) : whereNear(tables, place, near));
  const cause = (place: number) =>
    caller === undefined || helperText(tables, place) !== "" ? at(place) : `${at(place)} (called from ${at(caller)})`;
  return (tellers[crash.kind] as Teller<CrashCase["kind"]>)(crash, at, cause);
}
