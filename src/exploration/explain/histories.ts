/**
 * What pages and JSON show beside the story of a finding: what happened to the lines it is about, and what recovery read of
 * them. Made when everything is judged, for the findings that are told.
 */

import type { Finding } from "../../crash/finding/index.ts";
import { type CrashSource, crashSourceOf, crashSteps, TraceCursor } from "../../crash/states/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { concernedLines, lastEventOf, withoutDoubles } from "./concerned-lines.ts";
import { LineRecording } from "./line-recording.ts";
import { walkFor } from "./line-walk.ts";
import { type FoundReads, linesRead, namelessLines, RecoveryFacts } from "./recovery-facts.ts";
import { type NamesOf, setUpNames } from "./set-up-names.ts";
import { StoreFacts } from "./store-facts.ts";
import { StoresSeen } from "./stores-seen.ts";

/** Findings that get one. */
const mostFindings = 200;

interface Awaited {
  readonly finding: Finding;
  readonly recording?: LineRecording;
  readonly reads?: { readonly found: FoundReads; readonly seen: StoresSeen };
}

class Histories {
  readonly #scene: LeadScene;
  readonly #source: CrashSource;
  readonly #facts: StoreFacts;
  readonly #recoveries: RecoveryFacts;

  constructor(scene: LeadScene) {
    this.#scene = scene;
    const { trace, run, judging, places } = scene;
    this.#source = crashSourceOf(trace, run.history, judging.platform);
    this.#facts = new StoreFacts(places, trace);
    this.#recoveries = new RecoveryFacts(scene, this.#source);
  }

  /** One walk to where each finding is complete, and one that listens to what they are about. */
  of(findings: readonly Finding[]): readonly Finding[] {
    const cursor = new TraceCursor(this.#source);
    const awaited = findings
      .slice(0, mostFindings)
      .sort((a, b) => lastEventOf(a) - lastEventOf(b))
      .map((finding) => this.#look(finding, cursor));
    walkFor(
      this.#source,
      awaited.flatMap(({ recording, reads }) => [...(recording ? [recording] : []), ...(reads ? [reads.seen] : [])]),
    );
    const nameless = awaited.flatMap(({ reads }) => (reads ? namelessLines(reads.found, reads.seen) : []));
    const before = setUpNames(this.#scene, withoutDoubles(nameless));
    const told = new Map(awaited.map((each) => [each.finding, this.#told(each, before)]));
    return findings.map((finding) => told.get(finding) ?? finding);
  }

  #look(finding: Finding, cursor: TraceCursor): Awaited {
    const moment = cursor.before(lastEventOf(finding));
    const wanted = concernedLines(finding, moment);
    const found = finding.crash && this.#recoveries.of(finding.crash, moment);
    return {
      finding,
      ...(wanted && { recording: new LineRecording(wanted, this.#facts) }),
      ...(found && { reads: { found, seen: this.#seen(finding, found) } }),
    };
  }

  #seen(finding: Finding, found: FoundReads): StoresSeen {
    const lost = new Set(finding.crash!.lost.map(({ mark }) => mark.seq));
    return new StoresSeen(linesRead(found), lastEventOf(finding), lost, this.#facts);
  }

  #told({ finding, recording, reads }: Awaited, before: NamesOf): Finding {
    const history = {
      ...finding.history,
      ...(recording && { timeline: recording.history }),
      ...(reads && { reads: this.#recoveries.told(reads.found, reads.seen, before) }),
    };
    return { ...finding, history };
  }
}

/** A crash inside a recovery is told by events of that recovery, which this trace does not have. */
const isOfProgram = ({ crash }: Finding): boolean =>
  crash === undefined || crashSteps(crash.witness.choices).length === 1;

/** Findings of one scene, with their histories. */
export function withHistories(scene: LeadScene, findings: readonly Finding[]): readonly Finding[] {
  const own = findings.filter(isOfProgram);
  if (own.length === 0) return findings;
  const told = new Map(new Histories(scene).of(own).map((finding, at) => [own[at]!, finding]));
  return findings.map((finding) => told.get(finding) ?? finding);
}
