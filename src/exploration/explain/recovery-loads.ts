/**
 * Where recovery loads words that nobody flushes: by that a reader sees why such a word matters. Asked of the state that a crash leaves at the
 * end with every store kept, and of the one right after the store. Always: a recovery is looked at step by step only if it
 * uses one of the words at all.
 */

import { type Finding, loadedByRecovery, type Mark, type PlacedMark } from "../../crash/finding/index.ts";
import { type CrashSource, crashSourceOf, layoutOf, TraceCursor } from "../../crash/states/index.ts";
import { pathFromText } from "../../machine/index.ts";
import { Mappings } from "../../model/pmem/index.ts";
import { LoadPlaces, RecoveryReads, type UsedWord } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { eventsBetween, notesIn, type Trace } from "../../trace/events/index.ts";

/** Rules whose findings raise the question, and how many of them get an answer. */
const rules: ReadonlySet<string> = new Set(["transient-data"]);
const mostFindings = 16;
/** Right after their stores so many are looked at, a recovery each. */
const mostStates = 4;
const halfBytes = 4;

interface Word {
  /** As the machine names the file. */
  readonly path: string;
  readonly from: number;
  readonly to: number;
}

/** Where a store's bytes lie in a file: of several mappings that were at its address, in the last. */
function wordsOf(trace: Trace, marks: readonly Mark[]): readonly (Word | undefined)[] {
  const found = new Array<Word | undefined>(marks.length);
  for (const event of notesIn(trace)) {
    if (event.kind !== "map" || !event.persistent) continue;
    const mappings = new Mappings();
    mappings.map(event.path, event.start, event.length, event.offset);
    for (const [at, { address = 0, size = 0 }] of marks.entries()) {
      const place = mappings.at(address);
      if (place) found[at] = { path: pathFromText(event.path), from: place.offset, to: place.offset + size };
    }
  }
  return found;
}

export class RecoveryLoads {
  readonly #trace: Trace;
  readonly #source: CrashSource;
  readonly #cursor: TraceCursor;
  readonly #uses: LoadPlaces;
  readonly #reads: RecoveryReads;

  constructor({ subject, trace, run, judging }: LeadScene) {
    this.#trace = trace;
    this.#source = crashSourceOf(trace, run.history, judging.platform);
    this.#cursor = new TraceCursor(this.#source);
    this.#uses = new LoadPlaces(subject, judging.hangLimit);
    this.#reads = new RecoveryReads(subject, judging.hangLimit);
  }

  /** Of a crash before an event that keeps every store: where recovery loads each of the words first. */
  after(seq: number, words: readonly (Word | undefined)[]): readonly (PlacedMark | undefined)[] {
    const { layout, paths, used } = this.#used(seq);
    if (!words.some((word) => word && isAmong(used, word))) return words.map(() => undefined);
    const reads = this.#reads.of(layout, paths);
    return words.map((word) => {
      const read = word && reads.find((each) => each.path === word.path && overlaps(each, word));
      return read && this.#reads.placed(read.mark);
    });
  }

  /** Whether recovery looks into persistent files at all after a crash at the end that keeps every store. */
  readsAnything(): boolean {
    return this.#used(this.#trace.count).used.length > 0;
  }

  /** Whether recovery loads bytes of any of these stores after a crash before an event that keeps every store. */
  readsAnyStored(seq: number, stores: readonly Mark[]): boolean {
    const { used } = this.#used(seq);
    return used.length > 0 && wordsOf(this.#trace, stores).some((word) => word === undefined || isAmong(used, word));
  }

  /** Whether recovery loads the bytes of each store, after such a crash or one right after the store. Where nobody knows, it does. */
  areRead(stores: readonly Mark[]): readonly boolean[] {
    const words = wordsOf(this.#trace, stores);
    const { used } = this.#used(this.#trace.count);
    return words.map((word, at) => {
      const store = stores[at]!;
      if (word === undefined || isAmong(used, word) || !isIn(this.#trace, store)) return true;
      return at >= mostFindings || isAmong(this.#used(store.seq + 1).used, word);
    });
  }

  #used(seq: number) {
    const moment = this.#cursor.before(seq);
    const layout = layoutOf(this.#source, { seq }, moment, []);
    const paths = new Set(moment.mappings.paths.map(pathFromText));
    return { layout, paths, used: this.#uses.used(layout, paths).words };
  }
}

const isAmong = (used: readonly UsedWord[], { path, from, to }: Word): boolean =>
  used.some((use) => use.path === path && use.word * halfBytes < to && (use.word + 1) * halfBytes > from);

const overlaps = ({ offset, size }: { readonly offset: number; readonly size: number }, { from, to }: Word): boolean =>
  offset < to && offset + size > from;

/** Whether a finding's store is an event of this trace: rules may have watched another run of the program. */
function isIn(trace: Trace, { seq, site, address }: Mark): boolean {
  if (seq >= trace.count) return false;
  const [event] = eventsBetween(trace, seq, seq + 1);
  return event !== undefined && "address" in event && event.site === site && event.address === address;
}

const withLoad = (finding: Finding, load: PlacedMark): Finding => ({
  ...finding,
  evidence: [...finding.evidence, { says: loadedByRecovery, ...load }],
});

export function withRecoveryLoads(scene: LeadScene, findings: readonly Finding[]): readonly Finding[] {
  const asked = findings.filter(({ rule }) => rules.has(rule.id)).slice(0, mostFindings);
  if (asked.length === 0) return findings;
  const words = wordsOf(
    scene.trace,
    asked.map(({ cause }) => cause),
  );
  const loads = new RecoveryLoads(scene);
  const found = [...loads.after(scene.trace.count, words)];
  const open = asked.flatMap(({ cause }, at) => (found[at] || !isIn(scene.trace, cause) ? [] : [{ cause, at }]));
  for (const { cause, at } of open.slice(0, mostStates)) found[at] = loads.after(cause.seq + 1, [words[at]])[0];
  const told = new Map(asked.map((finding, at) => [finding, found[at]]));
  return findings.map((finding) => {
    const load = told.get(finding);
    return load ? withLoad(finding, load) : finding;
  });
}
