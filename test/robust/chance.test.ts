/** Random executions against all of them: what chance finds is there, and on small programs it finds what is there. */
import { env } from "node:process";
import { expect, it } from "vitest";
import type { FoundPair } from "../../src/exploration/persist-order/index.ts";
import { checkGuest, pool as checkPool } from "../check/guests.ts";
import { compileGuest } from "../support/programs.ts";
import { drawnReader, type Judged, judgedRobust, pairTexts, pool } from "./support.ts";

const figures = compileGuest("robust/figures.c", ["-O1", "-g", "-static"]);
const ofFigure = (name: string) => ({
  setup: [figures, "setup", pool],
  recover: [figures, `read-${name}`, pool],
});

it("Figure 2: all four pairs, in a few executions", () => {
  const judged = judgedRobust([figures, "fig2", pool], ofFigure("fig2"), { executions: 20, seed: 1 });
  expect(pairTexts(judged)).toEqual(["x=1 y=1", "x=1 y=2", "x=2 y=2", "y=1 x=2"]);
  expect(judged.statistics.executions).toBe(20);
});

it("the seed says which", () => {
  const look = (seed: number) => {
    const { statistics, pairs } = judgedRobust([figures, "fig4", pool], ofFigure("fig4"), { executions: 6, seed });
    return [statistics.violating, pairs.map(({ point, count }) => [point, count])];
  };
  expect(look(3)).toEqual(look(3));
  expect([4, 5].map((seed) => `${look(seed)}`)).not.toEqual([3, 3].map((seed) => `${look(seed)}`));
});

it.each([
  ["list", "MISSING_FLUSH"],
  ["queue", "LOST_ACK"],
] as const)("%s %s: judged once or each time, recoveries show the same pairs as often", (guest, bug) => {
  const look = (kept?: number) => {
    const { pairs, statistics } = judgedRobust(
      [checkGuest(guest, bug), checkPool],
      {},
      {
        executions: 300,
        ...(kept !== undefined && { kept }),
      },
    );
    return { pairs, statistics };
  };
  const known = look();
  expect(known.statistics.violating).toBeGreaterThan(0);
  expect(known).toEqual(look(0));
  expect(known).toEqual(look(3));
});

const placesOf = (pairs: readonly FoundPair[]) => new Set(pairs.map(({ missing }) => missing.store.site));

function compare(all: Judged, some: Judged, told: string): void {
  const known = placesOf(all.pairs);
  expect(
    [...placesOf(some.pairs)].filter((place) => !known.has(place)),
    told,
  ).toEqual([]);
  const hasError = ({ findings }: Judged) => findings.some(({ rule }) => rule.severity === "error");
  expect(hasError(some), told).toBe(hasError(all));
}

/** `make fuzz` takes more, as of binaries elsewhere. */
const isLong = env["ROBUST_BINARIES"] !== undefined;
const guests = [
  ["list", "MISSING_FLUSH"],
  ["list", undefined],
  ["queue", "LOST_ACK"],
] as const;

it.each(isLong ? guests : guests.slice(0, 2))("%s %s", (guest, bug) => {
  const program = [checkGuest(guest, bug), checkPool];
  compare(judgedRobust(program), judgedRobust(program, {}, { executions: 300 }), `${guest} ${bug}`);
});

it("random programs", () => {
  let violating = 0;
  for (let seed = 34; seed < (isLong ? 54 : 36); seed++) {
    const { program, commands, told } = drawnReader(seed);
    try {
      const all = judgedRobust(program, commands);
      if (all.pairs.length > 0) violating++;
      compare(all, judgedRobust(program, commands, { executions: 200 }), told);
    } catch (error) {
      if (!`${error}`.includes("undisturbed")) throw error;
    }
  }
  expect(violating).toBeGreaterThan(0);
});
