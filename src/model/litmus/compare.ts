/** Two engines on one test: complete sets of crash states per phase and platform, and final states, compared. */
import { withPlatform } from "../pmem/index.ts";
import { compareText, sortedTexts } from "./outcomes.ts";
import type { LitmusTest } from "./program.ts";
import { type EngineName, type RunOptions, type RunPhase, runPhases } from "./run.ts";

/** One of the models, or something else that finds outcomes. */
type Engine = EngineName | RunPhase;

export interface Disagreement {
  readonly engines: readonly [Engine, Engine];
  readonly phase: number;
  readonly what: "any" | "end" | "final" | "eadr";
  readonly onlyFirst: readonly string[];
  readonly onlySecond: readonly string[];
}

/** Everything there is to compare, by label. */
function labelled(test: LitmusTest, engine: Engine, options: RunOptions): Map<string, string[]> {
  const texts = new Map<string, string[]>();
  runPhases(test, engine, options).forEach((phase, index) => {
    texts.set(`${index} any`, sortedTexts(phase.flatMap(({ outcomes }) => [...outcomes.any.keys()])));
    texts.set(`${index} end`, sortedTexts(phase.flatMap(({ outcomes }) => [...outcomes.end.keys()])));
    texts.set(`${index} final`, sortedTexts(phase.flatMap(({ outcomes }) => [...outcomes.final.keys()])));
  });
  const eadr = { ...options, model: withPlatform(options.model, "eadr") };
  runPhases(test, engine, eadr).forEach((phase, index) => {
    const any = phase.flatMap(({ outcomes }) => [...outcomes.any.keys()].map((key) => `any ${key}`));
    const end = phase.flatMap(({ outcomes }) => [...outcomes.end.keys()].map((key) => `end ${key}`));
    texts.set(`${index} eadr`, sortedTexts([...any, ...end]));
  });
  return texts;
}

export function compareEngines(
  test: LitmusTest,
  engines: readonly [Engine, Engine],
  options: RunOptions,
): Disagreement | undefined {
  const first = labelled(test, engines[0], options);
  const second = labelled(test, engines[1], options);
  for (const [label, left] of [...first].sort((a, b) => compareText(a[0], b[0]))) {
    const right = second.get(label) ?? [];
    const onlyFirst = left.filter((text) => !right.includes(text));
    const onlySecond = right.filter((text) => !left.includes(text));
    if (onlyFirst.length + onlySecond.length === 0) continue;
    const [phase, what] = label.split(" ") as [string, Disagreement["what"]];
    return { engines, phase: Number(phase), what, onlyFirst, onlySecond };
  }
  return undefined;
}
