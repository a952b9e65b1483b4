/** The result of a test: crash states of every phase, a verdict per check, and any disagreement of the models. */
import { compareEngines, type Disagreement } from "./compare.ts";
import { atomsOf, printCondition } from "./condition.ts";
import { sortedTexts } from "./outcomes.ts";
import type { Check, LitmusTest, LitmusVerdict } from "./program.ts";
import {
  type CrashSets,
  crashSets,
  expectedVerdict,
  judge,
  type ModelName,
  type RunOptions,
  runPhases,
} from "./run.ts";

export interface CheckResult {
  readonly check: Check;
  readonly verdict: LitmusVerdict;
  readonly expected?: LitmusVerdict;
}

export interface TestResult {
  readonly test: LitmusTest;
  readonly phases: readonly CrashSets[];
  /** Final states without a crash, as far as the checks mention them. */
  readonly final: readonly string[];
  readonly checks: readonly CheckResult[];
  readonly disagreement?: Disagreement;
}

export function runTest(test: LitmusTest, models: readonly ModelName[], options: RunOptions): TestResult {
  const both = models.length > 1;
  const disagreement = both ? compareEngines(test, ["operational", "axiomatic"], options) : undefined;
  const engine = models[0] ?? "operational";
  const started = runPhases(test, engine, options);
  const checks = test.checks.map((check): CheckResult => {
    const expected = expectedVerdict(check, options);
    return { check, verdict: judge(check, started), ...(expected !== undefined && { expected }) };
  });
  return {
    test,
    phases: crashSets(test, engine, options),
    final: finalTexts(
      test,
      (started.at(-1) ?? []).flatMap(({ outcomes }) => [...outcomes.final.values()]),
    ),
    checks,
    ...(disagreement !== undefined && { disagreement }),
  };
}

function finalTexts(
  test: LitmusTest,
  finals: readonly { memory: readonly number[]; registers: readonly (readonly number[])[] }[],
): string[] {
  const atoms = test.checks.filter(({ at }) => at === "final").flatMap(({ condition }) => atomsOf(condition));
  if (atoms.length === 0) return [];
  const texts = finals.map(({ memory, registers }) =>
    sortedTexts(
      atoms.map((atom) => {
        const value = atom.about === "register" ? registers[atom.thread]?.[atom.register] : memory[atom.location];
        return printCondition({ kind: "atom", atom: { ...atom, value: value as number } }, namesOf(test));
      }),
    ).join(" "),
  );
  return sortedTexts(texts);
}

/** 0 all as written, 1 a verdict is not, 3 some test stopped at a limit, 70 the models disagree. */
export function exitCodeOf(results: readonly TestResult[], limited: number): 0 | 1 | 3 | 70 {
  if (results.some(({ disagreement }) => disagreement !== undefined)) return 70;
  if (limited > 0) return 3;
  const wrong = results.some(({ checks }) => checks.some(isWrong));
  return wrong ? 1 : 0;
}

export const isWrong = ({ verdict, expected }: CheckResult): boolean => expected !== undefined && expected !== verdict;

export const namesOf = (test: LitmusTest) => ({
  locations: test.locations,
  registers: test.phases.at(-1)?.map(({ registers }) => registers) ?? [],
});

export function describeCheck(test: LitmusTest, check: Check): string {
  if (check.text !== undefined) return check.text;
  const condition = printCondition(check.condition, namesOf(test)).replaceAll("recovered ", "").replaceAll(" /\\", "");
  const entries = check.entry.map((entry) =>
    printCondition(entry, namesOf(test)).replaceAll("recovered ", "").replaceAll(" /\\", ""),
  );
  const after = entries.length === 0 ? "" : ` after ${entries.join(" or ")}`;
  return `${condition}${check.at === "end" ? " at the end" : ""}${after}`;
}

/** The program as the user would write it, lines and all: what to send along when the models disagree. */
export function printProgram(test: LitmusTest): string[] {
  const lines = Object.fromEntries(test.locations.map(({ name, line }) => [name, line]));
  const initial = test.locations
    .filter((location) => location.initial !== 0)
    .map(({ name, initial }) => `${name}=${initial}`);
  const phases = test.phases.flatMap((phase, index) => [
    ...(test.phases.length > 1 ? [`run ${index + 1}`] : []),
    ...phase.map(({ code }, thread) => `T${thread}: ${code.map(({ text }) => text).join("; ")}`),
  ]);
  return [`lines ${JSON.stringify(lines)}${initial.length > 0 ? `, initially ${initial.join(" ")}` : ""}`, ...phases];
}
