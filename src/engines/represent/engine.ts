/** Representative testing as an engine (Squint): of many updates that look alike, the one that can go wrong in the most ways. */

import type { RuleInfo } from "../../crash/finding/index.ts";
import type { PlannedPoints, Round } from "../../crash/recovery-tree/index.ts";
import type { RecoveryEnd } from "../../crash/states/index.ts";
import { type CreationSeverity, creationRule, recoveryRules } from "../../exploration/explain/index.ts";
import {
  CombinedWatcher,
  FailureWatch,
  type RunsResult,
  type RunUnit,
  startedRuns,
  TwoPhaseWatcher,
  WaysJudge,
  WaysPlan,
  type WaysSetup,
  type WayWatcher,
  wholePoints,
} from "../../exploration/recovery-paths/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { Subject, TracedRun } from "../../session/subject/index.ts";
import type { CrashEngine, LeadScene } from "../../session/work/index.ts";
import { type GroupedUpdates, groupUpdates } from "./grouped-updates.ts";
import { KnownUpdates } from "./known-updates.ts";
import { BehaviourRounds } from "./rounds.ts";
import { selectTested } from "./selection.ts";
import { joinedStatistics, type RepresentStatistics, statisticsOf } from "./statistics.ts";
import { TestedBehaviours } from "./tested-behaviours.ts";
import { precedenceIn } from "./threads.ts";

export interface RepresentOptions {
  readonly maxExecutions?: number;
  readonly platform?: Platform;
  /** Whether objects that refer to each other are taken together (default: they are). */
  readonly linked?: boolean;
  /** Whether all statements that store are tested, or representatives alone (default: all). */
  readonly everyStatement?: boolean;
  /** What other runs of the same analysis tested. */
  readonly known?: KnownUpdates;
  /** Functions that take checksums: what they read is not gone through in every combination. */
  readonly checksums?: readonly string[];
  /** What a crash while the run creates its file counts as; a warning if not given. */
  readonly creation?: CreationSeverity;
  /** Behind what stands for all, every crash state of every point, which share its tree. */
  readonly thenAll?: ThenAll;
  /** What else is looked for on the same ways. */
  readonly beside?: Beside;
}

export interface Beside {
  readonly rules: readonly RuleInfo[];
  /** `creationEnd`: the event before which the power is cut where the file that the run creates is complete. */
  watcher(scene: LeadScene, planned: PlannedPoints, creationEnd: () => number): WayWatcher;
}

export interface ThenAll {
  /** Of a run with more events, no updates are put into groups: that takes a second for some ten thousand of them. */
  readonly mostEvents: number;
}

export interface RepresentEngine extends CrashEngine<WaysSetup, RunUnit, undefined, RunsResult> {
  /** Recovery after a clean stop, for who has to know how it ends before anything is judged. */
  undisturbed(subject: Subject, run: TracedRun, maxInstructions: number): RecoveryEnd | undefined;
  /** Of all plans that were made and told updates apart. */
  statistics(): RepresentStatistics | undefined;
  /** Of the plan that was made last. */
  updates(): GroupedUpdates | undefined;
  /** Functions of which it assumes that they take checksums: those named, and with `thenAll` those found. */
  checksums(): readonly string[];
}

export function representEngine(options: RepresentOptions = {}): RepresentEngine {
  const { maxExecutions = Number.POSITIVE_INFINITY, platform = "px86", linked = true, checksums = [] } = options;
  const { everyStatement = true, creation = "warning", thenAll, beside } = options;
  const startedOf = startedRuns(platform, checksums);
  const likely = { likelyFirst: true };
  let latest: { readonly statistics: () => RepresentStatistics; readonly updates: GroupedUpdates } | undefined;
  const earlier: RepresentStatistics[] = [];
  let assumed = checksums;
  const plan = (scene: LeadScene): WaysPlan => {
    const exploration = startedOf(scene.run);
    const { planned } = exploration;
    if (thenAll !== undefined) exploration.learnChecksums(scene.subject, scene.judging.hangLimit);
    assumed = exploration.checksums;
    const failures = new FailureWatch(scene, planned, creation);
    const watched = (watch: FailureWatch): WayWatcher =>
      beside === undefined
        ? watch
        : new CombinedWatcher(
            watch,
            beside.watcher(scene, planned, () => failures.creationEnd),
          );
    const rest = thenAll === undefined ? [] : wholePoints(planned.points, likely);
    const made = (rounds: readonly Round[], watcher = watched(failures)): WaysPlan =>
      new WaysPlan(scene, exploration, { maxExecutions }, watcher, rounds);
    // Where stores persist in their order, none of the lines that an update leaves alone has every store.
    const isPlain = platform === "strict" || scene.trace.count > (thenAll?.mostEvents ?? Number.POSITIVE_INFINITY);
    if (thenAll !== undefined && isPlain) return made(rest);
    const known = options.known ?? new KnownUpdates();
    const precedence = precedenceIn(scene.run);
    const grouping = { platform, linked, complete: failures.creationEnd, known, precedence };
    const updates = groupUpdates(planned.source, scene.places, grouping);
    const rounds = new BehaviourRounds(planned, updates.order);
    const selection = selectTested(updates.groups, everyStatement, known);
    const tested = new TestedBehaviours(rounds, selection);
    const watcher =
      thenAll === undefined
        ? watched(failures)
        : new TwoPhaseWatcher(watched(failures), watched(failures.another()), () => both.isAll);
    const both: WaysPlan = made([...tested.rounds, ...rest], watcher);
    if (latest !== undefined) earlier.push(latest.statistics());
    latest = { updates, statistics: () => statisticsOf({ plan: both, updates, selection, tested, planned }) };
    return both;
  };
  return {
    name: "represent",
    silence: "evidence",
    rules: [...Object.values(recoveryRules), creationRule(creation), ...(beside?.rules ?? [])],
    identity: [platform, linked, everyStatement, thenAll?.mostEvents ?? 0, ...checksums].join(" "),
    undisturbed: (subject, run, maxInstructions) => startedOf(run).undisturbed(subject, maxInstructions),
    plan,
    statistics: () => latest && joinedStatistics([...earlier, latest.statistics()]),
    updates: () => latest?.updates,
    checksums: () => assumed,
    start: (setup, scene) => new WaysJudge(setup, scene),
  };
}
