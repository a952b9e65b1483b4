/** What the page works out before it draws anything. */
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines, framesOf } from "../../src/report/document/index.ts";
import { FindingIndex, noFilter } from "../../src/report/page/model/filter.ts";
import { callTree, pointsByLine } from "../../src/report/page/model/points.ts";
import { hashOf, type Route, routeFrom } from "../../src/report/page/model/route.ts";
import { shownFiles, sourceLine } from "../../src/report/page/model/source.ts";
import { folded } from "../../src/report/page/model/stack.ts";
import { tokensOf } from "../../src/report/page/model/tokens.ts";
import { rowsOf, treeKey } from "../../src/report/page/model/tree.ts";
import { moved, showing, wholeView, widestColumn, zoomed } from "../../src/report/page/model/view.ts";
import { rowAfterKey, rowsInSight, scrollTo } from "../../src/report/page/model/window.ts";
import { bytesText, numberOf, shellText, valueText, verdictText } from "../../src/report/page/model/words.ts";
import { logDiff } from "./log-finding.ts";
import { sampleReport } from "./samples.ts";

const report = sampleReport();

describe("the address", () => {
  it("leads back to what it was made of", () => {
    const routes = fc.record(
      {
        view: fc.constantFrom("findings" as const, "run" as const),
        fingerprint: fc.string({ unit: "grapheme", minLength: 1 }),
        event: fc.nat(),
      },
      { requiredKeys: ["view"] },
    );
    fc.assert(
      fc.property(routes, (route) => {
        expect(routeFrom(hashOf(route as Route))).toEqual(route);
      }),
    );
  });
  it("of something else means the findings", () => {
    expect(routeFrom("#event=x&what")).toEqual({ view: "findings" });
  });
});

describe("the filter", () => {
  const index = new FindingIndex(report);
  const found = (words: string) => index.matching({ ...noFilter, words }).map((at) => report.findings[at]!.fingerprint);
  it("finds by rule, function, file and line, library and text, all words", () => {
    expect(found("recovery-hangs")).toEqual(["a1hangs"]);
    expect(found("LOG.C:24")).toEqual(["d0creation"]);
    expect(found("pmemobj_create")).toEqual(["d1library"]);
    expect(found('"message" append'.replaceAll('"', ""))).toEqual(["67fbc389fc98cd13"]);
    expect(found("append nowhere")).toEqual([]);
    expect(found(" ")).toHaveLength(report.findings.length);
  });
  it("hides severities", () => {
    const hidden = new Set(["error", "warning"] as const);
    expect(index.matching({ words: "", hidden }).map((at) => report.findings[at]!.fingerprint)).toEqual(["c0flush"]);
  });
});

describe("a long list", () => {
  it("draws every row in sight and few others", () => {
    const sizes = fc.record({
      count: fc.nat(200),
      rowHeight: fc.integer({ min: 1, max: 80 }),
      top: fc.nat(9000),
      height: fc.nat(900),
    });
    fc.assert(
      fc.property(sizes, ({ count, rowHeight, top, height }) => {
        const [from, to] = rowsInSight({ count, rowHeight }, top, height);
        expect(0 <= from && from <= to && to <= count).toBe(true);
        for (let row = 0; row < count; row++) {
          const seen = (row + 1) * rowHeight > top && row * rowHeight < top + height;
          if (seen) expect(row >= from && row < to).toBe(true);
        }
        expect(to - from).toBeLessThanOrEqual(height / rowHeight + 14);
      }),
    );
  });
  it("scrolls to a row no farther than needed", () => {
    const rows = { count: 100, rowHeight: 10 };
    expect([50, 60, 95, 30].map((row) => scrollTo(rows, row, 500, 100))).toEqual([500, 510, 860, 300]);
  });
  it("knows its keys", () => {
    const after = (key: string) => rowAfterKey(key, 5, 10, 3);
    expect(["ArrowDown", "ArrowUp", "PageDown", "PageUp", "Home", "End", "x"].map(after)).toEqual([
      6,
      4,
      8,
      2,
      0,
      9,
      undefined,
    ]);
    expect(rowAfterKey("ArrowDown", 9, 10, 3)).toBe(9);
    expect(rowAfterKey("ArrowDown", -1, 0, 3)).toBeUndefined();
  });
});

describe("the part of a timeline in sight", () => {
  it("stays within it, and keeps what is under the pointer when it zooms", () => {
    const cases = fc.record({
      columns: fc.integer({ min: 1, max: 100_000 }),
      width: fc.integer({ min: 100, max: 2000 }),
      factor: fc.double({ min: 0.2, max: 5, noNaN: true }),
      pixel: fc.nat(2000),
      by: fc.integer({ min: -5000, max: 5000 }),
    });
    fc.assert(
      fc.property(cases, ({ columns, width, factor, pixel, by }) => {
        const near = zoomed(wholeView(columns, width), 8, pixel % width, columns, width);
        for (const view of [
          zoomed(near, factor, pixel % width, columns, width),
          moved(near, by, columns, width),
          showing(near, columns - 1, columns, width),
        ]) {
          expect(view.scale).toBeLessThanOrEqual(widestColumn);
          expect(view.start).toBeGreaterThanOrEqual(0);
          expect(view.start).toBeLessThanOrEqual(Math.max(0, columns - width / view.scale) + 1e-6);
        }
        const shown = showing(near, columns - 1, columns, width);
        expect((columns - 1 - shown.start) * shown.scale).toBeLessThanOrEqual(width);
      }),
    );
  });
});

describe("source", () => {
  it("is shown around the places, each file once, with what is said of its lines", () => {
    const [file, ...more] = shownFiles(report, report.findings[0]!.places);
    expect(more).toEqual([]);
    const marked = file!.parts.flat().filter(({ notes }) => notes.length > 0);
    expect(marked.map(({ number, notes }) => [number, notes[0]!.role])).toEqual([
      [6, "cause"],
      [9, "survives"],
      [10, "cut"],
      [17, "end"],
    ]);
  });
  it("is left out where nothing is said for a while", () => {
    const [first, last] = [
      report.findings[0]!.places[0]!,
      report.findings.find(({ fingerprint }) => fingerprint === "d0creation")!.places[0]!,
    ];
    expect(shownFiles(report, [first, last])[0]!.parts.map((part) => [part[0]!.number, part.at(-1)!.number])).toEqual([
      [3, 9],
      [21, 27],
    ]);
  });
  it("of a line that the report does not have is unknown", () => {
    expect(sourceLine(report, { address: "0x1", file: "/home/you/log/log.c", line: 999 })).toBeUndefined();
  });
  it("keeps every letter when it is coloured", () => {
    const line = fc.oneof(fc.string(), fc.stringMatching(/^[\w "'/*<>.\\]*$/));
    fc.assert(
      fc.property(line, (text) => {
        const joined = tokensOf(text).map((token) => token.text);
        expect(joined.join("")).toBe(text);
      }),
    );
    expect(
      tokensOf('return f(12, "a\\"b"); // x')
        .map(({ kind }) => kind)
        .filter((kind) => kind !== "plain"),
    ).toEqual(["keyword", "number", "string", "comment"]);
  });
});

it("libraries fold into the call that entered them; nothing is told of what calls main", () => {
  const shown = folded(framesOf(report, report.findings[0]!.cut!.place));
  expect(shown.map((call) => (call.kind === "own" ? call.frame.function : call.title))).toEqual([
    "pmem_persist (libpmem)",
    "append",
    "main",
  ]);
});

it("a diff has its lines numbered on both sides", () => {
  const lines = diffLines(logDiff);
  expect(lines.map(({ kind }) => kind)).toEqual([
    "file",
    "file",
    "hunk",
    "same",
    "same",
    "added",
    "same",
    "same",
    "same",
  ]);
  expect(lines.find(({ kind }) => kind === "added")).toEqual({ kind: "added", text: "    pmem_drain();", new: 9 });
  expect(lines.at(-1)).toEqual({ kind: "same", text: "}", old: 11, new: 12 });
  expect(diffLines("@@ -1 +1 @@\n-a\n+b").map(({ old, new: now }) => [old, now])).toEqual([
    [undefined, undefined],
    [1, undefined],
    [undefined, 1],
  ]);
});

describe("failure points", () => {
  it("add up by line, what fails first", () => {
    expect(pointsByLine(report).map(({ title, states, failing }) => [title, states, failing])).toEqual([
      ["log.c:9", 81, 19],
      ["log.c:10", 100, 0],
      ["log.c:8", 64, 0],
      ["log.c:7", 49, 0],
      ["log.c:6", 36, 0],
    ]);
  });
  it("add up along the calls, from main inward", () => {
    const root = callTree(report);
    expect(root).toMatchObject({ states: 330, failing: 19, points: 5 });
    expect(root.children.map(({ title }) => title)).toEqual(["main"]);
    const sums = root.children[0]!.children.reduce((sum, { states }) => sum + states, 0);
    expect(sums).toBe(330);
  });
  it("begin with main in a static program too, where no frame is a library's", () => {
    const frames = report.frames.map(({ library: _, ...frame }) => frame);
    expect(callTree({ ...report, frames }).children.map(({ title }) => title)).toEqual(["main"]);
  });
  it("have one place for the program's end, wherever it was then", () => {
    const end = { ...report.coverage!.points![0]!, before: "end", states: 1, judged: 1, failing: 0 };
    const ended = { ...report, coverage: { ...report.coverage!, points: [end, end] } };
    expect(pointsByLine(ended).map(({ title, points }) => [title, points])).toEqual([["the program's end", 2]]);
    expect(callTree(ended).children.map(({ title, points }) => [title, points])).toEqual([["the program's end", 2]]);
  });
});

describe("a tree", () => {
  const childrenOf = ({ children }: { readonly children: readonly never[] }) => children;
  const rows = (open: readonly string[]) =>
    rowsOf([report.findings[0]!.tree as never], childrenOf, (path) => open.includes(path));
  it("shows what is open", () => {
    expect(rows([]).map(({ path }) => path)).toEqual(["0"]);
    expect(rows(["0", "0.1"]).map(({ path, depth }) => `${path} ${depth}`)).toEqual([
      "0 0",
      "0.0 1",
      "0.1 1",
      "0.1.0 2",
      "0.1.1 2",
    ]);
  });
  it("opens, closes and goes up by keys", () => {
    const all = rows(["0", "0.1"]);
    expect(treeKey("ArrowRight", rows([]), 0)).toEqual({ toggle: "0" });
    expect(treeKey("ArrowRight", all, 0)).toEqual({ move: 1 });
    expect(treeKey("ArrowLeft", all, 4)).toEqual({ move: 2 });
    expect(treeKey("ArrowLeft", all, 2)).toEqual({ toggle: "0.1" });
    expect(treeKey("ArrowRight", all, 1)).toBeUndefined();
  });
});

describe("words", () => {
  it("show numbers as numbers, and bytes as bytes", () => {
    expect(numberOf("0100000000000000")).toBe(1n);
    expect(numberOf("ffffffffffffffff")).toBe(2n ** 64n - 1n);
    expect(valueText({ bytes: "0100000000000000" })).toBe("1");
    expect(valueText({ bytes: "6d65737361676520" })).toBe('"message "');
    expect(valueText({ bytes: "a3fc72b57ea57d19" })).toBe("0x197da57eb572fca3");
    expect(valueText({ bytes: "00".repeat(9) })).toBe("00 00 00 00 00 00 00 00  00");
    expect(valueText({ bytes: "6d65737361676520", number: "unsigned" })).toBe("0x206567617373656d");
    expect(valueText({ bytes: "fbffffff", number: "signed" })).toBe("-5");
    expect(bytesText("00".repeat(40), 2)).toBe("00 00 …");
  });
  it("quote a command for a shell", () => {
    expect(shellText(["./a b", "it's", "--x=1"])).toBe("'./a b' 'it'\\''s' --x=1");
  });
  it("say how recovery ended", () => {
    expect(verdictText({ kind: "signal", name: "SIGSEGV", address: "0x10" })).toBe(
      "is killed by SIGSEGV, accessing 0x10",
    );
    expect(verdictText({ kind: "hang", instructions: 2_000_000 })).toBe("does not end within 2,000,000 instructions");
  });
});
