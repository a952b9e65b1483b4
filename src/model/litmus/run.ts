/**
 * Runs a litmus test: complete sets of outcomes per phase and model, verdicts per check, and whether the models agree.
 * Always: a verdict is given only from complete sets; a search cut short throws `LimitReached`.
 */
import { type FailedCas, type Platform, type PmModel, px86, withPlatform } from "../pmem/index.ts";
import { axiomaticOutcomes } from "./axiomatic.ts";
import { type Condition, type FinalValues, holds } from "./condition.ts";
import { defaultLimits, LimitReached, type Limits } from "./limits.ts";
import type { Machine } from "./machine.ts";
import { operationalOutcomes } from "./operational.ts";
import { memoryPrinter, type PhaseOutcomes, sortedTexts } from "./outcomes.ts";
import type { Check, LitmusTest, LitmusVerdict, Phase } from "./program.ts";

export type ModelName = "operational" | "axiomatic";
/** The models, and their slow twins: every interleaving, and interrupted graphs. */
export type EngineName = ModelName | "operational-unreduced" | "axiomatic-partial";

export interface RunOptions {
  readonly model: PmModel;
  readonly limits: Limits;
}

export const defaultOptions: RunOptions = { model: px86, limits: defaultLimits };

export const optionsFor = (platform: Platform, failedCas: FailedCas, limits = defaultLimits): RunOptions => ({
  model: { ...px86, platform, failedCas },
  limits,
});

/** The crash states of one phase, as printed. */
export interface CrashSets {
  readonly any: readonly string[];
  readonly end: readonly string[];
  readonly eadr: readonly string[];
}

/** All that one phase can leave, however it is found. */
export type RunPhase = (machine: Machine, limits: Limits) => PhaseOutcomes;

const engines: Readonly<Record<EngineName, RunPhase>> = {
  operational: (machine, limits) =>
    operationalOutcomes(machine, limits, machine.model.without.size + machine.model.cells.length === 0),
  axiomatic: (machine, limits) => axiomaticOutcomes(machine, limits),
  "operational-unreduced": (machine, limits) => operationalOutcomes(machine, limits, false),
  "axiomatic-partial": (machine, limits) => axiomaticOutcomes(machine, limits, { partial: true }),
};

/** What a phase can leave, started from any of several contents of memory. */
export interface StartedOutcomes {
  readonly start: readonly number[];
  readonly outcomes: PhaseOutcomes;
}

export const initialMemory = (test: LitmusTest): number[] => test.locations.map(({ initial }) => initial);

/** PM-23. Without it every location counts as a line of its own. */
function placed(test: LitmusTest, model: PmModel): LitmusTest["locations"] {
  return model.without.has("PM-23") ? test.locations.map((location, line) => ({ ...location, line })) : test.locations;
}

export function machineFor(test: LitmusTest, phase: Phase, memory: readonly number[], model: PmModel): Machine {
  return { locations: placed(test, model), phase, memory, model };
}

/** Every phase from every state the one before can leave (PM-31); the same starting contents are run once. */
export function runPhases(
  test: LitmusTest,
  engine: EngineName | RunPhase,
  { model, limits }: RunOptions,
): StartedOutcomes[][] {
  const run = typeof engine === "string" ? engines[engine] : engine;
  let starts: readonly (readonly number[])[] = [initialMemory(test)];
  return test.phases.map((phase) => {
    const size = phase.reduce((sum, { code }) => sum + code.length, 0);
    if (size > limits.instructions) throw new LimitReached("instructions", limits.instructions);
    const results = starts.map((start) => ({
      start,
      outcomes: run(machineFor(test, phase, start, model), limits),
    }));
    const left = new Map(results.flatMap(({ outcomes }) => [...outcomes.any]));
    starts = model.without.has("PM-31") ? [initialMemory(test)] : [...left.values()];
    return results;
  });
}

/** Crash states of every phase, on the chosen platform and under eADR. */
export function crashSets(test: LitmusTest, engine: EngineName | RunPhase, options: RunOptions): CrashSets[] {
  const print = memoryPrinter(test.locations);
  const chosen = runPhases(test, engine, options);
  const eadr = runPhases(test, engine, { ...options, model: withPlatform(options.model, "eadr") });
  return chosen.map((phase, index) => ({
    any: sortedTexts(phase.flatMap(({ outcomes }) => [...outcomes.any.keys()])),
    end: sortedTexts(
      phase.flatMap(({ outcomes }) => [...outcomes.end.values()].map(({ recovered }) => print(recovered))),
    ),
    eadr: sortedTexts((eadr[index] ?? []).flatMap(({ outcomes }) => [...outcomes.any.keys()])),
  }));
}

/** The outcomes a check is judged on. */
function* outcomesFor(check: Check, phases: readonly StartedOutcomes[][]): Generator<FinalValues> {
  const last = phases.at(-1) ?? [];
  for (const { start, outcomes } of last) {
    if (!mayEnter(check.entry, start)) continue;
    if (check.at === "final") yield* outcomes.final.values();
    else if (check.at === "end") yield* outcomes.end.values();
    else for (const recovered of outcomes.any.values()) yield { recovered };
  }
}

export const mayEnter = (entry: readonly Condition[], start: readonly number[]): boolean =>
  entry.length === 0 || entry.some((condition) => holds(condition, { recovered: start }));

export function judge(check: Check, phases: readonly StartedOutcomes[][]): LitmusVerdict {
  for (const outcome of outcomesFor(check, phases)) if (holds(check.condition, outcome)) return "ALLOWED";
  return "FORBIDDEN";
}

/** The verdict a check claims for these options, if it claims one. */
export function expectedVerdict(check: Check, { model }: RunOptions): LitmusVerdict | undefined {
  if (model.platform === "eadr") return model.failedCas === "fence" ? check.expectedOnEadr : undefined;
  if (model.platform === "strict") return undefined;
  if (model.failedCas === "load") return check.expectedWhenFailedCasIsLoad ?? check.expected;
  return check.expected;
}
