/** What no power cut fell on is said, against a twin that looks at every point's open stores anew. */
import { expect, it } from "vitest";
import { CrashWalk, PointChooser } from "../../src/crash/states/index.ts";
import { StoreCoverage } from "../../src/engines/inject/uncovered.ts";
import { EventStore } from "../../src/trace/events/index.ts";
import { pm, TraceBuilder } from "../trace/builder.ts";

function coverageOf(trace: TraceBuilder) {
  let store: EventStore | undefined;
  const openSpill = () => {
    throw new Error("a short trace needs none");
  };
  trace.play((tables) => (store = new EventStore(tables, { memoryBytes: 1 << 20, openSpill })));
  const coverage = new StoreCoverage(store!);
  const seen = new Set<number>();
  const chooser = new PointChooser(false);
  trace.play((tables) => {
    const walk = new CrashWalk(tables, {
      granularity: "flush",
      allPoints: true,
      readBase: () => new Uint8Array(64),
      visit: (point, moment) => {
        const before = chooser.points().length;
        chooser.visit(point, moment);
        if (chooser.points().length === before) return;
        coverage.look(moment.lines.open);
        for (const { pending } of moment.lines.open) for (const { site } of pending) seen.add(site);
      },
    });
    return walk;
  });
  return { uncovered: coverage.uncovered.map(({ site }) => site), seen };
}

it("a store that is persisted by the same call as always, after others of its place, is not covered", () => {
  const trace = new TraceBuilder().map();
  const often = (at: string, times: number) => {
    for (let i = 0; i < times; i++)
      trace
        .store(pm, BigInt(i + 1), { at })
        .flush(pm, { at: "flush" })
        .fence({ at: "fence" });
  };
  often("first", 5);
  // One layout among many of the same place, between two instances that are looked at.
  for (let i = 0; i < 9; i++) often(`store ${i}`, 1);
  often("first", 40);
  trace.exit();
  const { uncovered, seen } = coverageOf(trace);
  for (const site of uncovered) expect(seen.has(site)).toBe(false);
  expect(uncovered.length).toBeGreaterThan(0);
  expect(seen.has(trace.site("first"))).toBe(true);
  expect(uncovered).not.toContain(trace.site("first"));
});
