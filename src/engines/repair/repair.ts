/**
 * From findings to insertions that cure them. Each is tried as a virtual patch first: the session that complained runs again, and
 * only what cures its finding and brings nothing new is kept. Always: findings are taken one after another, on top of what
 * was kept for those before; a mistake that shows again elsewhere in its function gets further insertions.
 */
import { assert, BoundReached, type HostPorts } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import {
  type CodeMap,
  firstKept,
  type Insert,
  isDurableBefore,
  patchKey,
  patchOf,
} from "../../crash/insertions/index.ts";
import type { Patch } from "../../machine/index.ts";
import type { Places, SubjectOptions } from "../../session/subject/index.ts";
import { eventsBetween, type Frame, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import { costOf, type RepairCost } from "./cost.ts";
import { missingFlushes, neededFlushes, unflushedStores } from "./durable.ts";
import { type Hoisted, Hoisting } from "./hoist.ts";
import { isContiguous, orderingsHeld, RepairLoops } from "./loops.ts";
import { type Dependence, dependences, isRefusal, lossRules, needOf, type Refusal, tooLate } from "./needs.ts";
import type { OpenSources } from "./open-sources.ts";
import { reducedFixes, reducedPatches } from "./reduce.ts";
import { type StoreEvent, storesBySite } from "./stored-ranges.ts";
import { PatchedRuns, type PlacedRun } from "./traced.ts";
import { type UnaddedStore, unaddedStores, withoutUnadded } from "./unadded.ts";

/** An insertion, and the same for the machine. */
export interface PatchedInsert extends Insert {
  readonly patch: Patch;
  /** I, by which it must be durable; the end if undefined. */
  readonly by: { readonly site: number; readonly frames: readonly Frame[] } | undefined;
  /** Of a flush: what its instruction stores all over the run. */
  readonly stores?: readonly StoreEvent[];
  /** Below the call so many levels above, as part of a persistent subprogram. */
  readonly level?: number;
  /** Of a fence: out of so many loops, behind which it stands. */
  readonly loops?: number;
  /** Of a flush: of all that the innermost loop around it stores, behind that loop. */
  readonly isBehindLoop?: boolean;
}

export interface Fix {
  /** What it cures; a flush before a fence of the program's own is for no finding of its own. */
  readonly finding?: Finding;
  readonly inserts: readonly PatchedInsert[];
  /** The places are those of the run that the insertions were found in. */
  readonly places: Places;
  /** Fingerprints of other findings that are gone with it. */
  readonly also: readonly string[];
  /** Where else it could be, where there was something to choose. */
  readonly hoisted?: Hoisted;
}

export interface Repaired {
  readonly fixes: readonly Fix[];
  readonly refusals: readonly Refusal[];
  /** What a change of the source alone can cure. */
  readonly unadded: readonly UnaddedStore[];
  /** Of all fixes together. */
  readonly patches: readonly Patch[];
  /** Of all of them in this run. */
  readonly cost: RepairCost;
}

type Uncosted = Omit<Repaired, "cost">;

/** Findings with what cures them, at the stores themselves. */
export interface Cured extends Uncosted {
  /** What the program with these patches still shows. */
  readonly errors: readonly Finding[];
  /** Findings that flushes and fences might cure, and that the work which was allowed did not suffice for. */
  readonly untried: readonly Finding[];
}

export interface RepairPorts {
  readonly host: HostPorts;
  /** The errors that a check of the subject finds; it may show the run that it judged, which is traced once less then. */
  errors(subject: SubjectOptions, show: (run: PlacedRun) => void): Promise<readonly Finding[]>;
  isOwn(module: string): boolean;
  /** Whether a finding is to be fixed; all are if this is not given. */
  wants?(finding: Finding): boolean;
  /** Where fixes may be hoisted to the calls that led to a store. */
  readonly sources?: OpenSources;
}

/** How often one finding may ask for more. */
const MAX_ROUNDS = 12;

interface Attempt {
  readonly inserts: readonly PatchedInsert[];
  readonly patches: readonly Patch[];
  readonly refusal: Refusal | undefined;
  readonly errors: readonly Finding[];
}

interface Traced {
  readonly trace: Trace;
  readonly places: Places;
  /** The events that files were changed before. */
  readonly calls: readonly number[];
  readonly madeRequests: boolean;
}

export class Repair {
  readonly #subject: SubjectOptions;
  readonly #ports: RepairPorts;
  readonly #runs: PatchedRuns;

  constructor(subject: SubjectOptions, ports: RepairPorts) {
    this.#subject = subject;
    this.#ports = ports;
    this.#runs = new PatchedRuns(subject, ports.host);
  }

  /** Where the work that is allowed does not suffice, what was verified until then stays, where it was tried. */
  async withinWork(): Promise<Uncosted & Pick<Cured, "untried">> {
    const cured = await this.cured(await this.#errors([]));
    const improved = (await withinBound(this.improved(cured))) ?? cured;
    return { ...improved, untried: cured.untried };
  }

  async run(): Promise<Repaired> {
    const repaired = await this.withinWork();
    return { ...repaired, cost: this.costOf(repaired.patches) };
  }

  /** `found` is what the check found in the program as it is, and in which run. */
  async cured(found: readonly Finding[], run?: PlacedRun): Promise<Cured> {
    if (run !== undefined) this.#runs.keep([], this.#subject.annotated, run);
    const fixes: Fix[] = [];
    const refusals: Refusal[] = [];
    let patches: readonly Patch[] = [];
    let errors = found;
    const given = new Set<string>();
    const unadded = unaddedStores(found.filter((one) => this.#wants(one)));
    for (;;) {
      const left = withoutUnadded(errors).filter((one) => !given.has(one.fingerprint) && this.#wants(one));
      const finding = nextOf(left);
      if (finding === undefined) return { fixes, refusals, unadded, patches, errors, untried: [] };
      given.add(finding.fingerprint);
      const attempt = await withinBound(this.#placedCure(finding, patches, errors));
      if (attempt === undefined) return { fixes, refusals, unadded, patches, errors, untried: left };
      if (attempt.refusal !== undefined) refusals.push(attempt.refusal);
      else {
        const still = new Set(attempt.errors.map(({ fingerprint }) => fingerprint));
        const also = errors.map(({ fingerprint }) => fingerprint).filter((one) => !given.has(one) && !still.has(one));
        fixes.push({ finding, inserts: attempt.inserts, places: attempt.places, also });
        ({ patches, errors } = attempt);
      }
    }
  }

  /** The same with fewer insertions, and where they hurt least. */
  async improved({ errors, untried: _untried, ...found }: Cured): Promise<Uncosted> {
    const hoisted = await this.#hoisted(await this.#reduced(found, errors), errors);
    const fenced = await this.#fencesOutOfLoops(hoisted, errors);
    const inserts = fenced.fixes.flatMap((fix) => fix.inserts);
    const isHeld = this.#heldAsBy(inserts, fenced.patches);
    return this.#flushesOutOfLoops(fenced, errors, isHeld);
  }

  #errors(patches: readonly Patch[]): Promise<readonly Finding[]> {
    return this.#ports.errors({ ...this.#subject, patches }, (run) =>
      this.#runs.keep(patches, this.#subject.annotated, run),
    );
  }

  /** Fences given, flushes generated; what they do not cure is left. */
  async durable(): Promise<Repaired & { readonly left: readonly Finding[] }> {
    const { trace, places } = this.#traced([]);
    const map: CodeMap = { tables: trace.tables, modules: places.modules, isOwn: this.#ports.isOwn };
    const inserts = missingFlushes(trace, places, map);
    const all = inserts.map(({ patch }) => patch);
    const isMoved = this.#ports.sources !== undefined;
    const patchedTrace = this.#traced(all).trace;
    const patches = isMoved ? neededFlushes(all, patchedTrace) : all;
    const isAsDurable = (tried: readonly Patch[]) =>
      unflushedStores(this.#traced(tried).trace) === unflushedStores(patchedTrace);
    assert(isAsDurable(patches), "what is left out of the flushes was needless");
    const kept = new Set(patches.map(patchKey));
    const fixes = inserts
      .filter(({ patch }) => kept.has(patchKey(patch)))
      .map((insert): Fix => ({ inserts: [insert], places, also: [] }));
    const left = await this.#errors(patches);
    const found: Uncosted = { fixes, refusals: [], unadded: [], patches };
    const hoisted = await this.#hoisted(found, left);
    const placed = isAsDurable(hoisted.patches) ? hoisted : found;
    const repaired = await this.#flushesOutOfLoops(placed, left, isAsDurable);
    return { ...repaired, cost: this.costOf(repaired.patches), left };
  }

  #wants(finding: Finding): boolean {
    return this.#ports.wants?.(finding) ?? true;
  }

  /** Fingerprints of what a check finds with some of the insertions. */
  async foundWith(patches: readonly Patch[]): Promise<ReadonlySet<string>> {
    return new Set((await this.#errors(patches)).map(({ fingerprint }) => fingerprint));
  }

  costOf(patches: readonly Patch[]): RepairCost {
    return costOf(this.#traced(patches).trace);
  }

  async #reduced(repaired: Uncosted, errors: readonly Finding[]): Promise<Uncosted> {
    const { fixes, patches } = repaired;
    // One alone is there because its finding shows without it.
    if (patches.length < 2) return repaired;
    const traces = this.#runKinds(patches).map((annotated) => this.#traced(patches, annotated).trace);
    const reduced = reducedPatches(fixes, patches, traces);
    if (reduced.length === patches.length || !(await this.#findsNoMore(errors, reduced))) return repaired;
    return { ...repaired, fixes: reducedFixes(fixes, reduced), patches: reduced };
  }

  /** Fixes go where they hurt volatile memory least, one after another, as far as the check agrees. */
  async #hoisted(repaired: Uncosted, errors: readonly Finding[]): Promise<Uncosted> {
    const { sources, isOwn } = this.#ports;
    if (sources === undefined || repaired.fixes.length === 0) return repaired;
    const { trace, places } = this.#traced([]);
    const hoisting = new Hoisting(sources, trace, places, { tables: trace.tables, modules: places.modules, isOwn });
    let { fixes, patches } = repaired;
    for (const fix of repaired.fixes) {
      const moved = hoisting.hoisted(fix);
      if (moved === undefined) continue;
      const candidate = fixes.map((one) => (one === fix ? moved : one));
      const tried = patchesOf(candidate);
      const isMoved = moved.hoisted!.level > 0;
      if (isMoved && !(await this.#findsNoMore(errors, tried))) continue;
      fixes = candidate;
      if (isMoved) patches = tried;
    }
    return { ...repaired, fixes, patches };
  }

  /** Fences go behind loops, as far out as X → F(X) → M → I and the check allow. */
  async #fencesOutOfLoops(repaired: Uncosted, errors: readonly Finding[]): Promise<Uncosted> {
    const loops = this.#loops(repaired);
    const inserts = repaired.fixes.flatMap((fix) => fix.inserts);
    const isHeld = this.#heldAsBy(inserts, repaired.patches);
    let { fixes, patches } = repaired;
    for (const fix of repaired.fixes) {
      for (const moved of loops?.withFencesOut(fix) ?? []) {
        const candidate = fixes.map((one) => (one === fix ? moved : one));
        const tried = patchesOf(candidate);
        if (!isHeld(tried) || !(await this.#findsNoMore(errors, tried))) continue;
        [fixes, patches] = [candidate, tried];
        break;
      }
    }
    return { ...repaired, fixes, patches };
  }

  /** Flushes go behind loops where that makes them fewer, and as durable as before. */
  async #flushesOutOfLoops(
    repaired: Uncosted,
    errors: readonly Finding[],
    isAsDurable: (patches: readonly Patch[]) => boolean,
  ): Promise<Uncosted> {
    const loops = this.#loops(repaired);
    const flushesOf = (patches: readonly Patch[]) => costOf(this.#traced(patches).trace).flushes;
    const isBetter = (tried: readonly Patch[], than: readonly Patch[]) =>
      isContiguous(this.#traced(tried).trace, tried) && flushesOf(tried) < flushesOf(than) && isAsDurable(tried);
    let { fixes, patches } = repaired;
    for (const at of fixes.keys()) {
      let [moved, tried] = [fixes, patches];
      for (const insert of fixes[at]!.inserts) {
        const out = insert.op === "flush" ? loops?.flushOut(insert) : undefined;
        if (out === undefined) continue;
        const inserts = moved[at]!.inserts.map((one) => (one === insert ? out : one));
        const candidate = moved.with(at, { ...moved[at]!, inserts });
        if (isBetter(patchesOf(candidate), tried)) [moved, tried] = [candidate, patchesOf(candidate)];
      }
      if (moved !== fixes && (await this.#findsNoMore(errors, tried))) [fixes, patches] = [moved, tried];
    }
    return { ...repaired, fixes, patches };
  }

  /** Undefined where nothing is moved: there is no source, or nothing to move. */
  #loops({ fixes }: Uncosted): RepairLoops | undefined {
    const { sources, isOwn } = this.#ports;
    if (sources === undefined || fixes.length === 0) return undefined;
    const { trace, places } = this.#traced([]);
    return new RepairLoops(sources, places, { tables: trace.tables, modules: places.modules, isOwn });
  }

  /** Whether X → F(X) → M → I holds with other patches wherever it does with these; the runs are made when it is first asked. */
  #heldAsBy(inserts: readonly PatchedInsert[], patches: readonly Patch[]): (tried: readonly Patch[]) => boolean {
    const held = (given: readonly Patch[], annotated: boolean) =>
      orderingsHeld(inserts, this.#traced(given, annotated).trace);
    const isHeldIn = (tried: readonly Patch[], annotated: boolean) => {
      const after = held(tried, annotated);
      return held(patches, annotated).every((was, index) => !was || after[index] === true);
    };
    // What the one run tells needs no other.
    return (tried) => this.#runKinds(patches).every((annotated) => isHeldIn(tried, annotated));
  }

  /** Whether runs are annotated: rules may judge another run than crashes are made of. */
  #runKinds(patches: readonly Patch[]): readonly boolean[] {
    const { annotated } = this.#subject;
    return this.#traced(patches).madeRequests ? [annotated, true] : [annotated];
  }

  /** Whether a check with other insertions finds nothing but what is known. */
  async #findsNoMore(errors: readonly Finding[], patches: readonly Patch[]): Promise<boolean> {
    const known = new Set(errors.map(({ fingerprint }) => fingerprint));
    const found = await this.#errors(patches);
    return found.every(({ fingerprint }) => known.has(fingerprint));
  }

  /** With the places of the run that the insertions are for. */
  async #placedCure(finding: Finding, kept: readonly Patch[], before: readonly Finding[]) {
    const attempt = await this.#cure(finding, kept, before);
    const { places, trace } = this.#tracedFor(finding, kept);
    return { ...attempt, inserts: withStores(attempt.inserts, trace), places };
  }

  async #cure(finding: Finding, kept: readonly Patch[], before: readonly Finding[]): Promise<Attempt> {
    const known = new Set(before.map(({ fingerprint }) => fingerprint));
    const inserts: PatchedInsert[] = [];
    let patches = kept;
    let errors = before;
    let current = finding;
    const refused = (reason: string): Attempt => ({
      inserts: [],
      patches: kept,
      errors: before,
      refusal: { finding, reason, sites: current.crash?.lost ?? [] },
    });
    let isHalf = false;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const step = this.#step(current, patches);
      if ("reason" in step)
        return round === 0
          ? { ...refused(step.reason), refusal: step }
          : refused(isHalf ? halfCured(step.reason) : step.reason);
      isHalf ||= step.isNeeded;
      inserts.push(...step.inserts);
      if (step.patches.length === patches.length) return refused(tooLate);
      patches = step.patches;
      errors = await this.#errors(patches);
      // An optimised line has several instructions that store it, and each shows by itself.
      const isSame = (one: Finding) =>
        one.fingerprint === finding.fingerprint || (!known.has(one.fingerprint) && isOfOneLine(one, finding));
      const shown = errors;
      const isNew = (one: Finding) => !known.has(one.fingerprint) && !isSame(one) && !isToldByCrash(one, shown);
      const added = errors.find((one) => isNew(one) && !this.#wasLost(one, kept));
      if (added !== undefined && !losesStores(added))
        return refused(`with it in place, something else shows: ${added.rule.title} (${added.rule.id})`);
      // What it hid before, and insertions can only have made rarer, is cured with it.
      const again = errors.find(isSame) ?? added;
      if (again === undefined) return { inserts, patches, errors, refusal: undefined };
      current = again;
    }
    return refused(`it still shows after ${MAX_ROUNDS} rounds of insertions`);
  }

  /** A store that was never durable is an error once its line is flushed anywhere: no new one, but one more to be cured. */
  #wasLost({ rule, cause }: Finding, kept: readonly Patch[]): boolean {
    if (!lossRules.has(rule.id)) return false;
    const { trace } = this.#traced(kept);
    const events = [...eventsBetween(trace, 0, trace.count)];
    const isLost = ({ kind, site }: TraceEvent, at: number) =>
      kind === "store" && site === cause.site && !isDurableBefore(events, at, events.length, () => false);
    return events.some(isLost);
  }

  /** The fewest insertions that are not there yet: those that what was promised asks for, or those of all that may depend on it. */
  #step(finding: Finding, patches: readonly Patch[]) {
    const traced = this.#tracedFor(finding, patches);
    const steps = dependences.map((dependence) => this.#stepBy(finding, patches, traced, dependence));
    const isNews = (step: (typeof steps)[number]) => !("reason" in step) && step.patches.length > patches.length;
    return steps.find(isNews) ?? steps.at(-1)!;
  }

  #stepBy(finding: Finding, patches: readonly Patch[], { trace, places, calls }: Traced, dependence: Dependence) {
    const need = needOf(finding, trace, calls, dependence);
    if (need === undefined) return { finding, reason: "it is not about durability", sites: [] } satisfies Refusal;
    if (isRefusal(need)) return need;
    const map: CodeMap = { tables: trace.tables, modules: places.modules, isOwn: this.#ports.isOwn };
    const [dependent] = eventsBetween(trace, need.by, need.by + 1);
    const frames = dependent === undefined ? [] : places.resolver.frames(dependent.site, dependent.stack);
    const inserts = need.inserts.flatMap((insert) => {
      const patch = patchOf(insert, map);
      return patch === undefined ? [] : [{ ...insert, patch, by: dependent && { site: dependent.site, frames } }];
    });
    if (inserts.length < need.inserts.length)
      return { finding, reason: "the code that stores it is of no file", sites: [] } satisfies Refusal;
    const all = distinctPatches([...patches, ...inserts.map(({ patch }) => patch)]);
    return { inserts, patches: all, isNeeded: dependence !== firstKept };
  }

  /** The run that the finding counts events of: rules judge one of their own where the program asks for Valgrind. */
  #tracedFor({ crash, order }: Finding, patches: readonly Patch[]): Traced {
    const plain = this.#traced(patches);
    return crash === undefined && order === undefined && plain.madeRequests ? this.#traced(patches, true) : plain;
  }

  #traced(patches: readonly Patch[], annotated = this.#subject.annotated): Traced {
    const { run, places } = this.#runs.with(patches, annotated);
    return { trace: run.trace, places, calls: run.history.starts, madeRequests: run.madeRequests };
  }
}

/** Undefined where the work that was allowed does not suffice for it. */
export async function withinBound<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof BoundReached) return undefined;
    throw error;
  }
}

function withStores(inserts: readonly PatchedInsert[], trace: Trace): readonly PatchedInsert[] {
  const flushed = inserts.filter(({ op }) => op === "flush").map(({ after }) => after.site);
  const stores = storesBySite(trace, new Set(flushed));
  return inserts.map((insert) =>
    insert.op === "flush" ? { ...insert, stores: stores.get(insert.after.site)! } : insert,
  );
}

/** Crashes first: they name what depends on the store, which rules do not. */
const nextOf = (findings: readonly Finding[]): Finding | undefined =>
  findings.find(({ crash }) => crash !== undefined) ?? findings[0];

export const distinctPatches = (patches: readonly Patch[]): readonly Patch[] => [
  ...new Map(patches.map((patch) => [patchKey(patch), patch])).values(),
];

const patchesOf = (fixes: readonly Fix[]): readonly Patch[] =>
  distinctPatches(fixes.flatMap(({ inserts }) => inserts.map(({ patch }) => patch)));

/** What a rule says of a store that a crash loses anyway is no finding of its own. */
const isToldByCrash = ({ crash, cause }: Finding, all: readonly Finding[]): boolean =>
  crash === undefined && all.some((other) => other.crash?.lost.some(({ mark }) => mark.site === cause.site));

function isOfOneLine(a: Finding, b: Finding): boolean {
  const place = ({ frames }: Finding) => frames.find(({ line }) => line !== undefined);
  return place(a) !== undefined && place(a)?.file === place(b)?.file && place(a)?.line === place(b)?.line;
}

const losesStores = ({ crash }: Finding): boolean => (crash?.lost.length ?? 0) > 0;

const halfCured = (reason: string): string => `flushes and fences cure one half of it; of the other, ${reason}`;
