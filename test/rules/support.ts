/** Runs the rules over events built by hand. */

import type { Draft } from "../../src/crash/finding/index.ts";
import { defaultRulesOptions, RulesEngine, type RulesOptions } from "../../src/engines/index.ts";
import { TraceBuilder } from "../trace/builder.ts";

export function judge(builder: TraceBuilder, options: Partial<RulesOptions> = {}): readonly Draft[] {
  let engine: RulesEngine | undefined;
  builder.play((tables) => {
    engine = new RulesEngine(tables, { ...defaultRulesOptions, ...options });
    return engine;
  });
  return engine!.drafts();
}

export type Build = (trace: TraceBuilder) => TraceBuilder;

/** Ids of the rules that fire, each once, in order of first occurrence. */
export const fired = (build: Build, options: Partial<RulesOptions> = {}): string[] => [
  ...new Set(judge(build(new TraceBuilder().map()), options).map(({ rule }) => rule.id)),
];

/** The names of the places a rule complains about. */
export function placesOf(
  rule: string,
  build: Build,
  names: readonly string[],
  options: Partial<RulesOptions> = {},
): string[] {
  const builder = new TraceBuilder().map();
  const sites = judge(build(builder), options)
    .filter((draft) => draft.rule.id === rule)
    .map(({ cause }) => cause.site);
  return names.filter((name) => sites.includes(builder.site(name)));
}
