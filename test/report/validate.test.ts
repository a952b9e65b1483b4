/** Whether a document is a report: our small validator against a full one, on damaged reports; and the page they go into. */
import Ajv from "ajv";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { InputError } from "../../src/base/index.ts";
import { embeddedJson, reportPage } from "../../src/report/document/index.ts";
import { readReport, reportComplaint } from "../../src/report/render/index.ts";
import { hostileReport, longTimeline, manyFindings, sampleReport } from "../page/samples.ts";
import { publishedSchema, reportComplaints } from "./report-schema.ts";

const ajv = new Ajv().compile(publishedSchema);

/** Every value in a document, as the way to it. */
function waysIn(value: unknown, way: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== "object" || value === null) return [way];
  return [way, ...Object.entries(value).flatMap(([key, inner]) => waysIn(inner, [...way, key]))];
}

function damaged(value: unknown, way: readonly (string | number)[], put: unknown): unknown {
  const [key, ...rest] = way;
  if (key === undefined) return put;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  if (rest.length === 0 && put === undefined) delete copy[key];
  else copy[key] = damaged(copy[key], rest, put);
  return copy;
}

describe("a report", () => {
  it("of any of our samples is one", () => {
    for (const report of [sampleReport(), hostileReport(), manyFindings(50), longTimeline(100)]) {
      expect(reportComplaints(report)).toEqual([]);
      expect(reportComplaint(report)).toBeUndefined();
    }
  });
  it("that is damaged anywhere is refused when a full validator refuses it", () => {
    const report = sampleReport();
    const ways = waysIn(report);
    const puts = [undefined, null, -1, 1.5, "x", "0x1f", true, [], {}, { kind: "exit" }, [{}]];
    let refused = 0;
    fc.assert(
      fc.property(fc.nat(ways.length - 1), fc.constantFrom(...puts), (at, put) => {
        const bad = damaged(report, ways[at]!, put);
        const expected = ajv(bad) as boolean;
        const found = reportComplaint(bad);
        // Positions that name nothing are refused by ours alone.
        if (found?.endsWith("is not there")) return;
        expect(found === undefined).toBe(expected);
        if (!expected) refused++;
      }),
      { numRuns: 2000 },
    );
    expect(refused).toBeGreaterThan(200);
  });
});

describe("a file that is no report", () => {
  const sentence = (text: string): string => {
    try {
      readReport("a.json", text);
    } catch (error) {
      if (error instanceof InputError) return error.message;
      throw error;
    }
    throw new Error("nothing was wrong");
  };
  const report = sampleReport();
  const refused = "a.json is not a report of blackout: ";
  it.each([
    ["half of JSON", "{", "it is not JSON."],
    ["something else", "[]", 'it has no "schema": "blackout-report".'],
    [
      "version 1",
      '{"schema":"blackout-findings"}',
      "it is of version 1; write it again with this version of blackout.",
    ],
    ["version 3", JSON.stringify({ ...report, version: 3 }), "report.version must be 2."],
    ["no frames", JSON.stringify({ ...report, frames: [] }), "report.places[0] names a frame that is not there."],
    ["an empty summary", JSON.stringify({ ...report, summary: {} }), "report.summary.errors is missing."],
  ])("%s", (_, text, message) => expect(sentence(text)).toBe(`${refused}${message}`));
  it("is read when it is one", () => expect(readReport("a.json", JSON.stringify(report))).toEqual(report));
});

describe("in the page", () => {
  it("a report has nothing that HTML could take for markup, and is the same when read", () => {
    const text = embeddedJson(hostileReport());
    expect(text).not.toContain("<");
    expect(JSON.parse(text)).toEqual(hostileReport());
  });
  it("takes its slot and nothing else", () => {
    const page = reportPage("a BLACKOUT_REPORT b", hostileReport());
    expect(page).toBe(`a ${embeddedJson(hostileReport())} b`);
  });
});
