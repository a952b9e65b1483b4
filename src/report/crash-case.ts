/**
 * What kind of mistake a crash shows, and its headline and advice in the user's terms. Always: each kind has its own advice;
 * none tells to flush where no flush can help.
 */
import type * as document from "../document/index.ts";
import { baseName } from "../document/index.ts";
import { whereNear, whereText } from "./place-text.ts";
import { commonName, rangeText } from "./write-text.ts";

interface Lost {
  /** All that was lost and counts, oldest first. */
  readonly writes: readonly document.Write[];
  /** What to call them together. */
  readonly name: string;
}

export type CrashCase =
  /** What came later survives; what it needs does not. */
  | { readonly kind: "unordered"; readonly lost: Lost; readonly survivor: document.Write }
  /** Of what one statement wrote, a part survives. */
  | { readonly kind: "torn"; readonly lost: Lost }
  /** Nothing in particular has to survive for it: the write was owed by then. */
  | { readonly kind: "owed"; readonly lost: Lost; readonly cut: document.Cut }
  /** Every store was kept; recovery fails from this event on. */
  | { readonly kind: "unfinished"; readonly after: number }
  | { readonly kind: "unrecoverable"; readonly cut: document.Cut }
  /** The file was not complete yet. */
  | { readonly kind: "creation"; readonly file: string; readonly cut: document.Cut };

/** What a crash consists of in a report. */
export interface CrashParts {
  readonly lost: readonly document.Write[];
  readonly earlier?: readonly document.Write[];
  readonly kept?: readonly document.Write[];
  /** A part of what the same statement wrote was kept. */
  readonly torn?: boolean;
  readonly creating?: string;
  readonly cut: document.Cut;
  /** The place after which recovery fails though every store is kept. */
  readonly turning?: number;
}

const byEvent = (writes: readonly document.Write[]): readonly document.Write[] =>
  [...writes].sort((a, b) => a.event - b.event);

/** The first that follows what was lost is what made it count. */
export const survivorOf = ({ lost, kept = [] }: CrashParts): document.Write | undefined =>
  byEvent(kept).find(({ event }) => event > (lost[0]?.event ?? 0)) ?? kept[0];

export function caseOf(parts: CrashParts, tables: document.PlaceTables): CrashCase {
  if (parts.creating !== undefined) return { kind: "creation", file: parts.creating, cut: parts.cut };
  const writes = byEvent([...(parts.earlier ?? []), ...parts.lost]);
  const [first] = writes;
  if (first === undefined)
    return parts.turning === undefined
      ? { kind: "unrecoverable", cut: parts.cut }
      : { kind: "unfinished", after: parts.turning };
  const lost = { writes, name: commonName(writes.map(({ name }) => name)) ?? first.name ?? rangeText(first) };
  const survivor = survivorOf(parts);
  if (parts.torn === true) return { kind: "torn", lost };
  if (survivor === undefined) return { kind: "owed", lost, cut: parts.cut };
  const isOne = writes.some(({ place }) => whereText(tables, place) === whereText(tables, survivor.place));
  return isOne ? { kind: "torn", lost } : { kind: "unordered", lost, survivor };
}

type Words = { readonly headline: string; readonly advice: string };
/** A place in words; `near` another one: in the innermost function that both were called from. */
type At = (place: number, near?: number) => string;
type Teller<K> = (crash: CrashCase & { readonly kind: K }, at: At) => Words;

const beforeThat = ({ before }: document.Cut): string => (before === "output" ? "that is printed" : "that");

const tellers: { readonly [K in CrashCase["kind"]]: Teller<K> } = {
  unordered: ({ lost, survivor }, at) => ({
    headline: `${at(survivor.place)} can survive a crash that ${at(lost.writes[0]!.place)} does not: nothing makes ${lost.name} durable before ${survivor.name ?? rangeText(survivor)}`,
    advice: `persist ${lost.name} before ${at(survivor.place)}`,
  }),
  torn: ({ lost }, at) => ({
    headline: `${at(lost.writes[0]!.place)} can survive a crash in part: nothing makes all of ${lost.name} durable at once`,
    advice:
      "at most 8 aligned bytes persist at once: write a copy aside, persist it and switch to it with one store, or log the old value first",
  }),
  owed: ({ lost, cut }, at) => ({
    headline: `${at(lost.writes[0]!.place)} can still be lost by a crash at ${at(cut.place, lost.writes[0]!.place)}: nothing makes ${lost.name} durable before ${beforeThat(cut)}`,
    advice: `persist ${lost.name} before ${at(cut.place, lost.writes[0]!.place)}`,
  }),
  unfinished: ({ after }, at) => ({
    headline: `a crash right after ${at(after)} breaks recovery, even with every store kept`,
    advice:
      "no flush or fence can help: let one store make the whole update count (copy, persist, switch), log it so that recovery can finish or undo it, or let recovery cope with this state",
  }),
  unrecoverable: ({ cut }, at) => ({
    headline: `a crash at ${at(cut.place)} breaks recovery, even with every store kept`,
    advice: "no flush or fence can help: what the program leaves here is what recovery has to cope with",
  }),
  creation: ({ file, cut }, at) => ({
    headline: `${at(cut.place)}: a crash while ${baseName(file)} is being created leaves what recovery fails on`,
    advice:
      "create it under another name and rename it when complete, or let recovery begin anew; --setup COMMAND makes it before the check",
  }),
};

export const crashWords = (crash: CrashCase, tables: document.PlaceTables): Words =>
  (tellers[crash.kind] as Teller<CrashCase["kind"]>)(crash, (place, near) =>
    near === undefined ? whereText(tables, place) : whereNear(tables, place, near),
  );
