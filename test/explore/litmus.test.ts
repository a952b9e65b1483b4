/**
 * Litmus tests of one thread as binaries, explored: what a recovery that reads every location can find is what the
 * operational model says that a crash can leave, no more and no less; of first phases, what the golden files say.
 */
import { expect, test } from "vitest";
import { defaultLimits, type LitmusTest } from "../../src/model/litmus/index.ts";
import { operationalOutcomes } from "../../src/model/litmus/operational.ts";
import { memoryPrinter } from "../../src/model/litmus/outcomes.ts";
import { type Job, sourceOf } from "../litmus/binaries.ts";
import { jobsOf } from "../litmus/jobs.ts";
import { ownGolden, ownTests, referenceGolden, referenceTests } from "../litmus/own-tests.ts";
import { addressesOf, isThreaded } from "../litmus/traced.ts";
import { compileText } from "../support/programs.ts";
import { pm } from "../trace/builder.ts";
import { explored, pool } from "./support.ts";

const jobs = [...ownTests, ...referenceTests].flatMap(jobsOf).filter(({ machine }) => !isThreaded(machine));
const firstPhases = (tests: readonly LitmusTest[]) => tests.filter(({ phases }) => phases[0]!.length === 1);
const ownSets = ownGolden();
/** By the name of the job: how memory is written there, and the crash states. */
const golden = new Map<string, { readonly text: ReturnType<typeof memoryPrinter>; readonly states: Set<string> }>(
  [
    ...firstPhases(ownTests).map((litmus) => ({ litmus, sets: ownSets[litmus.name]![0]! })),
    ...firstPhases(referenceTests).map((litmus) => ({ litmus, sets: referenceGolden[litmus.name]! })),
  ].map(({ litmus, sets }) => {
    const start = litmus.locations.map(({ initial }) => initial).join(" ");
    const text = memoryPrinter(litmus.locations);
    return [`${litmus.name}, phase 0 from ${start}`, { text, states: new Set(sets.any) }] as const;
  }),
);

const cells = ({ machine }: Job): string =>
  addressesOf(machine)
    .map((address, location) => `{${address - pm}, ${machine.memory[location]}L}`)
    .join(", ");

/** argv: what to do, the pool, the job. */
const ending = `
#include <string.h>
static const struct { long at, initial; } cells[][16] = {${jobs.map((job) => `{${cells(job)}, {-1, 0}}`).join(",\n")}};
int main(int argc, char **argv) {
  char *page = map_pool(argv[2], 4096);
  int job = atoi(argv[3]);
  if (strcmp(argv[1], "run") == 0) jobs[job][0](page);
  else for (int i = 0; cells[job][i].at >= 0; i++) {
    volatile long *cell = (volatile long *)(page + cells[job][i].at);
    if (strcmp(argv[1], "setup") == 0) *cell = cells[job][i].initial;
    else printf("%s%ld", i == 0 ? "" : ",", *cell);
  }
  (void)argc;
  return 0;
}
`;

const binary = compileText("litmus-explored", sourceOf(jobs, ending), ["-O1", "-static", "-pthread"]);

test("every test of one thread is among them", () => {
  const names = new Set(jobs.map(({ name }) => name));
  expect([...golden.keys()].filter((name) => !names.has(name))).toEqual([]);
  expect(golden.size).toBeGreaterThan(25);
});

test.each(jobs.map((job, number) => [job.name, number] as const))("%s", (name, number) => {
  const of = (what: string) => [binary, what, pool, `${number}`];
  const { plan, statistics } = explored(of("run"), { setup: of("setup"), recover: of("recover") });
  const { machine } = jobs[number]!;
  const allowed = [...operationalOutcomes(machine, defaultLimits).any.values()].map((memory) => memory.join());
  const found = plan.ends.length === 0 ? [machine.memory.join()] : plan.ends.map(({ stdout }) => stdout);
  expect(new Set(found)).toEqual(new Set(allowed));
  const expected = golden.get(name);
  if (expected !== undefined)
    expect(new Set(found.map((memory) => expected.text(memory.split(",").map(Number))))).toEqual(expected.states);
  expect(statistics.executions).toBe(plan.ends.length);
});
