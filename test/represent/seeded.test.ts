/**
 * Representative testing finds what exploration finds of the mistakes seeded into the guests of check, in fewer recoveries, and
 * nothing without. The tests take some of the rows; SEEDED=all takes them all (`make seeded`).
 */
import { env } from "node:process";
import { describe, expect, it } from "vitest";
import { exploreEngine } from "../../src/engines/index.ts";
import type { CrashEngine } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { checkGuests, seededMistakes, silentMistakes } from "../check/seeded.ts";
import { functionsIn } from "../explore/support.ts";
import { compileGuest } from "../support/programs.ts";
import { judging } from "../support/subject.ts";
import { finishedWays, represented, untold } from "./support.ts";

/** What a recovery reads of unpersisted lines may be more than can be gone through; what is seeded shows before. */
const limits = { maxExecutions: 6000 };
const isAll = env["SEEDED"] === "all";
const taken = <T>(rows: readonly T[], oneIn: number): readonly T[] => rows.filter((_, i) => isAll || i % oneIn === 0);

/** Missed, with the reason: at most one in twenty. */
const missed: Readonly<Record<string, string>> = {
  "ringlog RECOVERY_SEQUENCE":
    "recovery is wrong only when the log has gone round once, and the update that shows it looks like those before",
};

describe("a seeded mistake is found, with all that exploration finds", () => {
  it.each(taken(seededMistakes, 20))("$guest $mistake", ({ guest, mistake, inside, class: kind }) => {
    const { scene, plan, statistics } = represented([checkGuest(guest, mistake), pool], {}, limits);
    const findings = plan.findings();
    const explore = exploreEngine(limits);
    explore.undisturbed(scene.subject, scene.run, scene.judging.hangLimit);
    const explored = finishedWays(explore as CrashEngine, scene);
    const lost = untold(explored.findings(), findings);
    expect(statistics.executions).toBeLessThanOrEqual(explored.extent.states);
    if (missed[`${guest} ${mistake}`] !== undefined) expect(lost).not.toEqual([]);
    else {
      expect(lost).toEqual([]);
      if (kind === "recovery bug") expect(findings).not.toEqual([]);
      else expect(functionsIn(findings)).toContain(inside);
    }
  });
  it("but for one in twenty", () => {
    expect(Object.keys(missed).length).toBeLessThanOrEqual(seededMistakes.length / 20);
  });
  it.each(taken(silentMistakes, 4))("by what is printed: %s %s", (guest, mistake, inside) => {
    const program = checkGuest(guest, mistake);
    const output = { ...judging, oracle: "output" } as const;
    const shown = { recover: [program, pool, "show"] };
    const { plan } = represented([program, pool], shown, { ...limits, judging: output });
    expect(functionsIn(plan.findings())).toContain(inside);
  });
});

describe("nothing is found", () => {
  it.each(taken(checkGuests, 9))("in %s", (guest) => {
    const { plan } = represented([checkGuest(guest, undefined), pool], {}, limits);
    expect(plan.findings()).toEqual([]);
  });
});

/** Without symbols and debug information. */
const strippedGuest = (guest: string, mistake: string): string => {
  const source = ["hashmap", "queue", "redolog"].includes(guest) ? `check/${guest}.cpp` : `check/${guest}.c`;
  return compileGuest(source, ["-O1", "-s", "-static", `-DBUG_${mistake}`]);
};

describe("without debug information", () => {
  const rows = taken(seededMistakes, 31);
  let found = 0;
  it.each(rows)("$guest $mistake", ({ guest, mistake }) => {
    const { plan, statistics } = represented([strippedGuest(guest, mistake), pool], {}, { maxExecutions: 1000 });
    expect(statistics.nameless).toBe(statistics.stores);
    if (plan.findings().length > 0) found++;
  });
  it("four out of five are found", () => expect(found).toBeGreaterThanOrEqual((4 * rows.length) / 5));
});
