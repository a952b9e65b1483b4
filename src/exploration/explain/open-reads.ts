/**
 * Why loads of a failing recovery could read several stores (Jaaru, "Debugging support"): each load with the stores that it
 * could have seen, why each of them is still open, and which one it saw. Always: a store counts as a candidate if some cut
 * of its line that agrees with the loads before leaves it the newest to the bytes.
 */

import { assert } from "../../base/index.ts";
import type {
  CandidateFact,
  Finding,
  LineHistory,
  OpenReads,
  PlacedMark,
  ReadFact,
  WhyOpen,
} from "../../crash/finding/index.ts";
import {
  type CrashSource,
  type CrashStep,
  type CutLine,
  crashedAt,
  crashSteps,
  type Moment,
  TraceCursor,
} from "../../crash/states/index.ts";
import { pathFromText } from "../../machine/index.ts";
import {
  contentsAt,
  type LineCut,
  lineBytes,
  lineCuts,
  type PmStore,
  type TrackedLine,
} from "../../model/pmem/index.ts";
import { LoadPlaces } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { storeIn } from "./culprits.ts";
import { LineFlushes, type LinePlace, linePlaceKey } from "./line-flushes.ts";
import { LineRecording } from "./line-recording.ts";
import { walkFor } from "./line-walk.ts";
import { StoreFacts } from "./store-facts.ts";

const bytesPerWord = 4;
const wordsPerLine = lineBytes / bytesPerWord;
/** Loads that are told at most. */
const mostReads = 8;

/** What a line can still hold, as far as loads have shown. */
interface OpenLine {
  readonly line: TrackedLine;
  readonly place: LinePlace;
  /** In this crash state. */
  readonly cut: LineCut;
  left: readonly LineCut[];
}

interface OpenUse {
  /** Among all uses. */
  readonly number: number;
  readonly open: OpenLine;
  readonly word: number;
  /** By number of the pending store; -1: what is surely persisted. */
  readonly candidates: readonly number[];
  readonly seen: number;
}

const everything = (line: TrackedLine): LineCut => ({ kept: line.pending.length, pieces: 0 });

const isKept = ({ kept, pieces }: LineCut, at: number): boolean =>
  at < kept || (at - kept < 32 && ((pieces >>> (at - kept)) & 1) !== 0);

const overlaps = ({ offset, size }: PmStore, word: number): boolean =>
  offset < (word + 1) * bytesPerWord && offset + size > word * bytesPerWord;

/** The newest store to a word that a cut keeps. */
const newest = ({ pending }: TrackedLine, cut: LineCut, word: number): number =>
  pending.findLastIndex((store, at) => isKept(cut, at) && overlaps(store, word));

const wordOf = (line: TrackedLine, cut: LineCut, word: number): string =>
  contentsAt(line, cut)
    .subarray(word * bytesPerWord, (word + 1) * bytesPerWord)
    .join();

export class OpenReadsFinder {
  readonly #source: CrashSource;
  readonly #facts: StoreFacts;
  readonly #loads: LoadPlaces;

  /** The scene's places are of the source's trace. */
  constructor(scene: LeadScene, source: CrashSource) {
    this.#source = source;
    this.#facts = new StoreFacts(scene.places, source.trace);
    this.#loads = new LoadPlaces(scene.subject, scene.judging.hangLimit);
  }

  /** The finding, with what its last crash left open. */
  joined(finding: Finding): Finding {
    const { crash } = finding;
    const step = crash && crashSteps(crash.witness.choices).at(-1);
    return step === undefined ? finding : { ...finding, crash: { ...crash!, open: this.of(step) } };
  }

  /** After a crash of the source's trace. */
  of(step: CrashStep): OpenReads {
    const moment = new TraceCursor(this.#source).before(step.before);
    const crashed = crashedAt(this.#source, moment, step);
    assert(crashed !== undefined, "a failure's cuts are possible where it was found");
    const { layout, cuts: lost } = crashed;
    const paths = new Set(moment.mappings.paths.map(pathFromText));
    const uses = this.#openUses(this.#loads.used(layout, paths).words, moment, lost);
    const told = telling(uses);
    const places = this.#loads.places(
      layout,
      paths,
      told.map(({ number }) => number),
    );
    const lines = [...new Set(told.map(({ open }) => open))];
    const flushes = new LineFlushes(
      this.#source.trace,
      step.before,
      lines.map(({ place }) => place),
    );
    const reads = told.map((use, at) => this.#read(use, places[at], flushes, moment));
    return { reads, omitted: uses.length - told.length, timeline: this.#timeline(lines, step.before) };
  }

  #openUses(words: readonly { path: string; word: number }[], moment: Moment, lost: readonly CutLine[]): OpenUse[] {
    const cutOf = new Map(lost.map(({ line, cut }) => [line.key, cut]));
    const open = new Map<string, OpenLine>();
    for (const line of moment.lines.open) {
      const path = moment.mappings.path(line.file);
      const place = { path: pathFromText(path), index: line.index };
      const cut = cutOf.get(line.key) ?? everything(line);
      open.set(linePlaceKey(place), { line, place: { path, index: line.index }, cut, left: [...lineCuts(line)] });
    }
    return words.flatMap(({ path, word: number }, at) => {
      const found = open.get(linePlaceKey({ path, index: Math.floor(number / wordsPerLine) }));
      if (found === undefined) return [];
      const { line, cut, left } = found;
      const word = number % wordsPerLine;
      const candidates = [...new Set(left.map((each) => newest(line, each, word)))].sort((a, b) => a - b);
      const saw = wordOf(line, cut, word);
      found.left = left.filter((each) => wordOf(line, each, word) === saw);
      const seen = newest(line, cut, word);
      return candidates.length > 1 ? [{ number: at, open: found, word, candidates, seen }] : [];
    });
  }

  #read(use: OpenUse, load: PlacedMark | undefined, flushes: LineFlushes, moment: Moment): ReadFact {
    const { open, word, candidates, seen } = use;
    const { line, place, cut } = open;
    const bytes = contentsAt(line, cut).slice(word * bytesPerWord, (word + 1) * bytesPerWord);
    const isLost = cut.kept < line.pending.length;
    return {
      ...(load && { load }),
      path: place.path,
      offset: place.index * lineBytes + word * bytesPerWord,
      bytes,
      candidates: candidates.map((at) => this.#candidate(use, at, flushes, moment)),
      // With the line kept the failure is gone; it shows where a newer store could have been read.
      ...(isLost && seen !== Math.max(...candidates) && { fatal: true as const }),
    };
  }

  #candidate({ open, word, seen }: OpenUse, at: number, flushes: LineFlushes, moment: Moment): CandidateFact {
    const { line, place } = open;
    const isSeen = at === seen && { seen: true as const };
    const store = at < 0 ? line.settled.findLast((each) => overlaps(each, word)) : line.pending[at];
    const fact = store && this.#facts.fact(storeIn(line, store, moment), moment.mappings);
    if (at < 0) return { why: "persisted", ...(fact && { store: fact }), ...isSeen };
    const why = this.#why(store!, linePlaceKey(place), flushes);
    return { ...why, store: fact!, ...isSeen };
  }

  #why({ seq }: PmStore, line: string, flushes: LineFlushes): Pick<CandidateFact, "why" | "flush"> {
    const [flush] = flushes.of(line, seq, "after");
    const at = (event: { seq: number; thread: number; site: number; stack: number }) => {
      const { seq: own, thread, site, stack } = event;
      return this.#facts.placed({ seq: own, thread, site, stack });
    };
    const told = (why: WhyOpen, event = flush) => ({ why, ...(event && { flush: at(event) }) });
    if (flush !== undefined) return told(flushes.hasFenceAfter(flush.seq) ? "fenced-elsewhere" : "not-fenced");
    const next = flushes.nextFlush.get(seq);
    if (next !== undefined && next.line !== line && next.idle) return told("other-line", next.event);
    const before = flushes.of(line, seq, "before").at(-1);
    return before === undefined ? { why: "never-flushed" } : told("flushed-before", before);
  }

  #timeline(lines: readonly OpenLine[], cut: number): LineHistory {
    const lost = lines.flatMap(({ line, cut: own }) => line.pending.filter((_, at) => !isKept(own, at)));
    const told = new Set(lost.map(({ seq }) => seq));
    const wanted = { lines: lines.map(({ place }) => place), cut, until: cut, lost: told, told };
    const recording = new LineRecording(wanted, this.#facts);
    walkFor(this.#source, [recording]);
    return recording.history;
  }
}

/** Loads that saw less than there was come first; neighbours that could see the same stores are told once. */
function telling(uses: readonly OpenUse[]): readonly OpenUse[] {
  const different = uses.filter(
    (use, at) =>
      !uses
        .slice(0, at)
        .some(({ open, candidates }) => open === use.open && candidates.join() === use.candidates.join()),
  );
  const isOld = ({ seen, candidates }: OpenUse) => (seen === candidates.at(-1) ? 1 : 0);
  return different
    .toSorted((a, b) => isOld(a) - isOld(b) || a.number - b.number)
    .slice(0, mostReads)
    .sort((a, b) => a.number - b.number);
}
