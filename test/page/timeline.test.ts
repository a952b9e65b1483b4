/** A laid out timeline against a twin that looks at every column for itself. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type * as document from "../../src/report/document/index.ts";
import { type Fate, layOut } from "../../src/report/page/model/timeline.ts";
import { longTimeline, sampleReport } from "./samples.ts";

const place = { thread: 1, place: 0 };
const drawn = fc.array(
  fc.record({ kind: fc.constantFrom("store", "flush", "fence", "durable"), line: fc.nat(2), back: fc.nat(6) }),
  { maxLength: 40 },
);

function timelineOf(
  events: readonly { readonly kind: string; readonly line: number; readonly back: number }[],
  cut?: number,
): document.Timeline {
  const made = events.map(({ kind, line, back }, event): document.TimelineEvent => {
    if (kind === "durable") return { kind, event, line, through: Math.max(0, event - back) };
    if (kind === "fence") return { kind, event, ...place, op: "sfence" };
    if (kind === "flush") return { kind, event, ...place, op: "clwb", line };
    return { kind: "store", event, ...place, line, offset: 0, size: 8 };
  });
  return { lines: [{}, {}, {}], events: made, ...(cut !== undefined && { cut }) };
}

/** Whether a line's store is surely durable once so many events have happened. */
const durableAfter = ({ events }: document.Timeline, store: number, line: number, count: number): boolean =>
  events
    .slice(0, count)
    .some((event) => event.kind === "durable" && event.line === line && event.event > store && event.through >= store);

/** Columns at which the line has a store that a crash may lose. */
function plainRisk(timeline: document.Timeline, line: number): boolean[] {
  const positions = timeline.events.flatMap(({ kind }, at) => (kind === "durable" ? [] : [at]));
  return positions.map((_, column) => {
    const upTo = positions[column + 1] ?? timeline.events.length;
    // What became durable right behind a column's event did so at that column: it was at risk there.
    const during = positions[column]! + 1;
    return timeline.events
      .slice(0, upTo)
      .some(
        (event) => event.kind === "store" && event.line === line && !durableAfter(timeline, event.event, line, during),
      );
  });
}

const plainFate = (timeline: document.Timeline, { event, line }: document.TimelineStore): Fate => {
  const before = timeline.events.filter((each) => each.event < (timeline.cut ?? Number.POSITIVE_INFINITY));
  return durableAfter({ ...timeline, events: before }, event, line, before.length) ? "durable" : "open";
};

describe("a timeline", () => {
  it("is at risk where a twin finds it at risk, and durable where the twin finds it durable", () => {
    fc.assert(
      fc.property(drawn, fc.option(fc.nat(40), { nil: undefined }), (events, cut) => {
        const timeline = timelineOf(events, cut);
        const laid = layOut(timeline);
        for (const [line, risks] of laid.risks.entries()) {
          const atRisk = laid.events.map((_, column) => risks.some(([from, to]) => column >= from && column < to));
          expect(atRisk).toEqual(plainRisk(timeline, line));
        }
        for (const [column, event] of laid.events.entries())
          if (event.kind === "store") expect(laid.fates[column]).toBe(plainFate(timeline, event));
      }),
      { numRuns: 500 },
    );
  });
  it("keeps what the report says of a store's fate, and finds the cut", () => {
    const laid = layOut(sampleReport().findings[0]!.timeline!);
    expect(laid.fates).toEqual(["lost", "lost", "lost", undefined, "kept", undefined, undefined, "open"]);
    expect(laid.events[laid.cut!]!.event).toBe(77);
  });
  it("may be long", () => {
    const laid = layOut(longTimeline(100_000).findings[0]!.timeline!);
    expect(laid.events.length).toBe(100_000 - Math.floor(100_000 / 7));
    expect(laid.risks.every((risks) => risks.length > 2000)).toBe(true);
  });
});
