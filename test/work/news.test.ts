/** What a session says before it ends: each mistake once, of rules before any crash is judged, of crashes when they are explained. */
import { describe, expect, it } from "vitest";
import type { EarlyFinding } from "../../src/crash/finding/index.ts";
import { exploreEngine, injectEngine, rulesEngine } from "../../src/engines/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { type CrashEngine, type News, runSession } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { subjectOf } from "../support/subject.ts";

async function newsOf(engine: CrashEngine, mistake: string | undefined) {
  const told: { readonly news: News; readonly judged: number }[] = [];
  let judged = 0;
  const { findings } = await runSession(
    {
      subject: subjectOf([checkGuest("array", mistake), pool]).options,
      judging: { expectExit: 0, oracle: "exit", platform: "px86" },
      traceEngines: [rulesEngine({ platform: "px86", mode: "dax", disabled: new Set(), wantsAnnotations: true })],
      crashEngines: [engine],
      journal: false,
    },
    {
      host: realPorts(),
      workers: undefined,
      news: (news) => told.push({ news, judged }),
      progress: ({ items }) => {
        judged = items;
      },
    },
  );
  const early = told.flatMap(({ news, judged }) => (news.kind === "finding" ? [{ ...news.finding, judged }] : []));
  return { told, early, findings, judged };
}

const isOfCrash = ({ rule }: EarlyFinding): boolean => rule.id.startsWith("recovery-");

const engines = {
  inject: () => injectEngine() as CrashEngine,
  explore: () => exploreEngine({ findsChecksums: false }) as CrashEngine,
};

describe.each(Object.entries(engines))("%s", (name, make) => {
  it("tells a mistake while states are left, and once", async () => {
    const { told, early, findings, judged } = await newsOf(make(), "MISSING_FLUSH");
    expect(told.map(({ news }) => news.kind).filter((kind) => kind !== "finding")).toEqual(["traced", "judging"]);
    expect(told[0]!.news).toEqual({ kind: "traced", events: expect.any(Number) });
    const ofCrashes = early.filter(isOfCrash);
    const mistakes = early.flatMap((each) => each.mistakes);
    expect(new Set(mistakes).size).toBe(mistakes.length);
    const ofRules = early.filter((each) => !isOfCrash(each));
    expect(ofRules.map((each) => each.judged)).toEqual(ofRules.map(() => 0));
    expect(ofCrashes.length).toBeGreaterThan(0);
    expect(ofCrashes[0]!.judged).toBeLessThan(judged);
    // What is told early is in the report, under the same rule.
    const rules = new Set(findings.map(({ rule }) => rule.id));
    expect(early.length).toBeGreaterThan(0);
    for (const { rule } of early) expect(rules).toContain(rule.id);
    expect(name).toBe(engineNamed(told));
  });

  it("tells nothing of a program without a mistake", async () => {
    expect((await newsOf(make(), undefined)).early).toEqual([]);
  });
});

const engineNamed = (told: readonly { readonly news: News }[]): string | undefined =>
  told.map(({ news }) => (news.kind === "judging" ? news.engine : undefined)).find((each) => each !== undefined);
