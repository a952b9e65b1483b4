/** Violations in `blackout check`: warnings where no recovery fails over them, and told once where one does. */
import { expect, it } from "vitest";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { reportOf } from "../support/findings.ts";
import { figureWords } from "./support.ts";

const checked = (name: string, ...options: readonly string[]) =>
  reportOf("check and explore", ["--no-rules", ...options, ...figureWords(name)]);

type Told = Awaited<ReturnType<typeof checked>>;
const pairsOf = ({ findings }: Told) =>
  findings.map(({ rule, severity, robustness }) =>
    [rule, severity, robustness!.earlier.name, robustness!.later.name].join(" "),
  );

it("Figure 2: what robust tells as errors, here warnings", async () => {
  expect(pairsOf(await checked("fig2"))).toEqual([
    "not-robust warning pm->x.value pm->y.value",
    "not-robust warning pm->y.value pm->x.value",
  ]);
});

it.each(["fig1", "fig4-fixed", "torn"])("%s: nothing", async (name) => {
  expect(pairsOf(await checked(name))).toEqual([]);
});

it("what differs by store alone is left to robust", async () => {
  expect(pairsOf(await checked("again"))).toEqual([]);
});

it("nothing beside where every crash state is not gone through", async () => {
  expect(pairsOf(await checked("fig2", "--no-explore"))).toEqual([]);
});

it("a failure carries its pair, which is not told again; granularity makes no difference", async () => {
  for (const granularity of ["flush", "store"]) {
    const program = checkGuest("list", "MISSING_FLUSH");
    const { findings } = await reportOf("check and explore", [
      "--no-rules",
      "--granularity",
      granularity,
      "--",
      program,
      checkPool,
    ]);
    expect(
      findings.map(({ severity, robustness, cure }) => [severity, robustness?.earlier.name, cure?.suggestions]),
    ).toEqual([
      ["error", expect.stringMatching(/^list->nodes\[\d\]/), [{ insert: "flush", after: expect.any(Number) }]],
    ]);
  }
});
