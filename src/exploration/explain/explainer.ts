/** From failures to findings: places by name, where recovery ended, what was lost, and how to see it again. */
import { assert } from "../../base/index.ts";
import {
  type CrashFacts,
  type Finding,
  isOfSystem,
  outsideTheSystem,
  type PlacedMark,
  statementOf,
} from "../../crash/finding/index.ts";
import {
  type CrashSource,
  cutBefore,
  cutsOf,
  type FailurePoint,
  judgedIn,
  lastWords,
  layoutOf,
  type Moment,
  type OutcomeOptions,
  TraceCursor,
} from "../../crash/states/index.ts";
import type { PmStore } from "../../model/pmem/index.ts";
import { EndPlaces } from "../../session/subject/index.ts";
import { type LeadScene, witnessOf } from "../../session/work/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { Batches } from "./batches.ts";
import { Blame } from "./blame.ts";
import { CallTrials } from "./call-trials.ts";
import { Callers } from "./callers.ts";
import { type Explanation, type LostStore, storeIn } from "./culprits.ts";
import { earlierStores, goneOnAfter, leavesPrefix, statementCuts, storeBefore } from "./earlier.ts";
import { kindOfFailure } from "./failure-kind.ts";
import { leakOf, mergeFindings, mistakeOf } from "./mistakes.ts";
import { RecoveryMeetings } from "./recovery-meetings.ts";
import { recoveryRules } from "./rules.ts";
import { StoreFacts } from "./store-facts.ts";

/** One way in which recovery fails, with the crash that shows it. */
export interface CrashFailure extends Explanation {
  readonly point: FailurePoint;
  /** Crash states that show it. */
  readonly count: number;
}

function rightOf([before, after]: readonly string[]): readonly [string, string] {
  assert(before !== undefined && after !== undefined, "a wrong output has a right one before the operation and after");
  return [before, after];
}

/** Explains one failure after another; asked about crashes in increasing order, it walks the trace once. */
export class Explainer {
  readonly #scene: LeadScene;
  readonly #source: CrashSource;
  readonly #cursor: TraceCursor;
  readonly #ends: EndPlaces;
  readonly #blame: Blame;
  readonly #facts: StoreFacts;
  readonly #callers: Callers;
  readonly #trials: CallTrials;
  readonly #meetings: RecoveryMeetings;
  readonly #batches: Batches;

  constructor(scene: LeadScene, source: CrashSource, options: OutcomeOptions) {
    this.#scene = scene;
    this.#source = source;
    this.#blame = new Blame(source, () => scene.subject.recovery().recovery, options, judgedIn(scene));
    this.#cursor = new TraceCursor(source);
    this.#facts = new StoreFacts(scene.places, source.trace);
    this.#callers = new Callers(source.trace, (site, stack) => scene.places.resolver.frames(site, stack));
    this.#batches = new Batches(source.trace);
    this.#trials = new CallTrials(source, this.#blame);
    this.#ends = new EndPlaces(scene.subject, scene.judging.hangLimit);
    this.#meetings = new RecoveryMeetings(scene, source, this.#facts, this.#ends);
  }

  /** One finding for each mistake, with all that is told of it. */
  merged(findings: readonly Finding[]): readonly Finding[] {
    const places = findings.flatMap(({ frames, crash }) => [frames, ...(crash?.lost ?? []).map((lost) => lost.frames)]);
    return mergeFindings(findings, this.#batches.hold).map((finding) =>
      this.#meetings.told(this.#withWrongCall(finding, places)),
    );
  }

  #withWrongCall(finding: Finding, failing: readonly (readonly Frame[])[]): Finding {
    const { crash, frames } = finding;
    if (crash === undefined || crash.leaked !== undefined) return finding;
    const wrongCall = this.#callers.wrongCall(frames, failing, (stores) => this.#trials.failsToo(crash, stores));
    return wrongCall === undefined ? finding : { ...finding, crash: { ...crash, wrongCall } };
  }

  finding(failure: CrashFailure): Finding {
    const { point, stores, kept, cuts, ended, printed, leaked, count } = failure;
    const cut = this.#facts.placed({ seq: point.seq, thread: point.thread, site: point.site, stack: point.stack });
    const moment = this.#cursor.before(point.seq);
    const factOf = (store: LostStore) => this.#facts.fact(store, moment.mappings);
    const lost = stores.map(factOf);
    const turned = this.#turningPoint(failure, moment);
    const late = turned === "late" && { late: true as const };
    const turning = turned === "late" ? undefined : turned;
    const torn = turning === undefined && (this.#isTorn(failure, moment) || this.#failsEitherWay(failure, moment));
    const earlier = torn || turning !== undefined ? [] : this.#earlier(failure, moment).map(factOf);
    // Where one event turned a good state into a bad one, no flush of what came later can help.
    const cause = turning ?? lost[0] ?? cut;
    const isOfEnd = printed === undefined && leaked === undefined && ended.command === undefined;
    const end = isOfEnd ? this.#endOf(failure, moment) : undefined;
    const rule = recoveryRules[kindOfFailure(failure)];
    const fingerprint = leaked === undefined ? mistakeOf(cause.frames) : leakOf(cause.frames);
    const { verdict, stderr, command } = ended;
    const stdout = printed?.stdout ?? ended.stdout;
    return {
      rule,
      says: "",
      cause: cause.mark,
      frames: cause.frames,
      evidence: [],
      count,
      crash: {
        before: point.before,
        cut,
        lost,
        ...(earlier.length > 0 && { earlier }),
        ...(torn && { torn }),
        lostLines: cuts.length,
        // What came before it need not have waited for it.
        kept: (late ? kept.filter(({ seq }) => seq > stores[0]!.seq) : kept).map(factOf),
        ...(turning && { turning }),
        ...late,
        verdict,
        stdout,
        stderr,
        ...(command !== undefined && { command: this.#scene.subject.recoveryCommands[command]! }),
        ...(end && { ended: end }),
        ...(leaked && { leaked }),
        ...(printed && printed.fewest === undefined && { expected: rightOf(printed.right) }),
        otherEnds: [],
        elsewhere: [],
        witness: witnessOf(this.#scene, {
          choices: [{ kind: "crash", ...cutBefore(point) }, ...cuts],
          expected: { verdict, said: lastWords(ended), ...(printed && { printed }), ...(leaked && { leaked }) },
          fingerprint,
        }),
      },
      fingerprint,
    };
  }

  /**
   * What turned a good state into a bad one, with every store kept: where none was lost, and where recovery failed before the
   * first of the lost ones was made. It would have mended that; to persist it sooner cures nothing. Of one statement that is torn,
   * no store is to blame, nor where the loss is a mistake of its own.
   */
  #turningPoint(failure: CrashFailure, moment: Moment): CrashFacts["turning"] | "late" {
    const { point, stores } = failure;
    const lost = new Set(stores.map(({ seq }) => seq));
    const first = Math.min(point.seq, ...lost);
    if (lost.size > 0 && !this.#blame.failsAt(first)) return undefined;
    if (lost.size > 0 && !leavesPrefix(this.#source.trace, point.seq, lost) && this.#isTorn(failure, moment))
      return undefined;
    const event = this.#blame.eventBefore(first);
    if (event === undefined) return undefined;
    if (lost.size > 0 && this.#isLossOfItsOwn(failure, first)) return "late";
    const { seq, thread, site, stack, kind } = event;
    const store =
      kind === "store" || kind === "non-temporal"
        ? { address: event.address, size: event.size, value: event.value }
        : {};
    return { ...this.#facts.placed({ seq, thread, site, stack, ...store }), kind };
  }

  /**
   * Recovery fails before the first lost store is made: then the loss is a mistake of its own where the thread goes on without making
   * that store durable, and recovery fails for want of it alone. A lock that was taken and whose release is lost is one mistake.
   */
  #isLossOfItsOwn({ point, stores }: CrashFailure, first: number): boolean {
    const { trace } = this.#source;
    const later = goneOnAfter(trace, stores.find(({ seq }) => seq === first)!);
    if (later === undefined) return false;
    const shown = [later, Math.max(later, point.seq)].find((at) => this.#trials.failsOnlyWithout(first, at));
    if (shown === undefined) return false;
    const mended = this.#blame.eventAfter(first, shown);
    if (stores.every(({ seq }) => seq !== mended.seq)) return true;
    const before = storeBefore(trace, mended);
    return before === undefined || this.#blame.failsAt(before.seq) || !this.#blame.failsAt(before.seq + 1);
  }

  /** Where one line is all that is lost: what the same call stored to it before. */
  #earlier({ point, cuts }: CrashFailure, moment: Moment): readonly LostStore[] {
    const [lost, ...more] = cutsOf(moment, cuts) ?? [];
    if (lost === undefined || more.length > 0 || moment.lines.isOrdered) return [];
    const framesOf = ({ site, stack }: { readonly site: number; readonly stack: number }) =>
      this.#scene.places.resolver.frames(site, stack);
    const stores = earlierStores(lost, framesOf, (cut) => this.#blame.failsWith(point, moment, [cut]));
    return stores.map((store) => storeIn(lost.line, store, moment));
  }

  /**
   * Whether recovery succeeds with all lost that one statement stored, and nothing but a part of it has to survive for the failure. A
   * store of another statement that has to survive is one to persist the whole before.
   */
  #isTorn({ point, stores, kept }: CrashFailure, moment: Moment): boolean {
    const framesOf = ({ site, stack }: PmStore) => this.#scene.places.resolver.frames(site, stack);
    const statement = (store: PmStore) => statementOf(framesOf(store), outsideTheSystem);
    if (kept.some((store) => statement(store) !== statement(stores[0]!))) return false;
    const cuts = statementCuts(moment.lines.open, stores, framesOf);
    return !moment.lines.isOrdered && cuts.length > 0 && !this.#blame.failsWith(point, moment, cuts);
  }

  /** Whether recovery fails with what was lost kept and what was kept lost, too: then no order of the two can cure it. */
  #failsEitherWay({ point, kept }: CrashFailure, moment: Moment): boolean {
    const [survivor, ...more] = kept;
    if (survivor === undefined || more.length > 0) return false;
    // A library's record of what it keeps for the program is no second half of it.
    const [frame] = this.#scene.places.resolver.frames(survivor.site, survivor.stack);
    if (frame !== undefined && isOfSystem(frame)) return false;
    const line = moment.lines.open.find(({ pending }) => pending.some(({ seq }) => seq === survivor.seq))!;
    let first = line.pending.findIndex(({ seq }) => seq === survivor.seq);
    // All pieces of one store are lost.
    while (first > 0 && line.pending[first]!.further) first--;
    const cut = { kept: first, pieces: 0 };
    return this.#blame.failsWith(point, moment, [{ line, cut }]);
  }

  /** Where recovery ends on the crash state that shows it. */
  #endOf({ point, cuts, ended }: CrashFailure, moment: Moment): PlacedMark | undefined {
    const lost = cutsOf(moment, cuts);
    assert(lost !== undefined, "a failure's cuts are possible where it was found");
    return this.#ends.of(layoutOf(this.#source, point, moment, lost), ended);
  }
}
