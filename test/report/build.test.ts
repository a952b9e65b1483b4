/** From findings to the report: places once, the user's line first, stores of one statement as one write, sources. */
import { describe, expect, it } from "vitest";
import { type CrashFacts, type Finding, resolveDrafts, type StoreFact } from "../../src/crash/finding/index.ts";
import type { Witness } from "../../src/crash/states/index.ts";
import { framesOf, type Report, shownFrame } from "../../src/report/document/index.ts";
import { joined } from "../../src/report/render/excerpts.ts";
import { reportJson, reportText } from "../../src/report/render/index.ts";
import { finding, frame, reportOf, samples } from "./findings.ts";
import { reportComplaints } from "./report-schema.ts";

const inLibc = (name: string) => frame(name, undefined, { module: "/usr/lib/x86_64-linux-gnu/libc.so.6" });
const store = (address: number, value: bigint, size: number, line: number, seq = address): StoreFact => ({
  path: "/pm/pool",
  mark: { seq, thread: 1, site: line, stack: 1, address, size, value },
  frames: [inLibc("memcpy"), frame("append", line), frame("main", 40), inLibc("__libc_start_main")],
});

const witness: Witness = {
  subject: {
    program: ["./list"],
    directory: "/",
    env: [],
    seed: 0,
    cpu: "v3",
    limits: {},
    jit: true,
    pm: [],
    pmMode: "dax",
    annotated: false,
  },
  input: "",
  blackout: "0",
  files: {},
  judging: { expectExit: 0, oracle: "exit", hangLimit: 1, platform: "px86" },
  choices: [
    { kind: "crash", before: 99 },
    { kind: "cut", path: "/pm/pool", line: 2, kept: 3, pieces: [1] },
    { kind: "input", at: 0, bytes: [10, 255] },
  ],
  expected: { verdict: { kind: "exit", code: 1 }, said: "" },
  fingerprint: "",
};

function crashOf(lost: readonly StoreFact[], more: Partial<CrashFacts> = {}): Finding {
  const mark = { seq: 99, thread: 1, site: 1, stack: 1 };
  const crash: CrashFacts = {
    lost,
    lostLines: lost.length,
    kept: [],
    otherEnds: [],
    before: "sfence",
    cut: { mark, frames: [frame("append", 24)] },
    verdict: { kind: "exit", code: 1 },
    stdout: "record 0 is empty\n",
    stderr: "",
    ended: { mark, frames: [inLibc("exit"), frame("check", 50)] },
    elsewhere: [{ mark, frames: [frame("append", 26)] }],
    witness,
    ...more,
  };
  return {
    ...finding("recovery-fails", "error", lost[0]?.frames ?? [frame("append", 24)]),
    says: "",
    evidence: [],
    crash,
  };
}

const leaked = [
  { file: "/pm/pool", offset: 0x3c0550, size: 112 },
  { file: "/pm/pool", offset: 0x3c05d0, size: 48 },
];

describe("a leak", () => {
  const goesWell = { verdict: { kind: "exit", code: 0 } as const, leaked };
  const told = (lost: readonly StoreFact[], more: Partial<CrashFacts> = {}) => {
    const [found] = reportOf([crashOf(lost, { ...goesWell, ...more })]).findings;
    return [found!.headline, found!.recovery!.verdict.kind, found!.places[0]!.says, found!.message];
  };
  const leaves =
    "recovery leaves 2 objects of 160 bytes allocated that nothing refers to, the first at 0x3c0550 of pool";
  const object = "leaks an object: it stays allocated, and nothing refers to it";

  it("says from which store on it is one", () => {
    const turning = { mark: { seq: 90, thread: 1, site: 1, stack: 1 }, frames: [frame("append", 22)], kind: "store" };
    expect(told([], { turning })).toEqual([
      `a crash right after list.c:22 ${object}`,
      "leak",
      "nothing is leaked before this store, and something after it",
      `${leaves}, although every store before the power cut was kept: no flush or fence can cure it; nothing is leaked before this store and something is after it`,
    ]);
  });
  it("says without which store it is one", () => {
    const [headline, kind, says, message] = told([store(64, 1n, 8, 20)]);
    expect([headline, kind, says]).toEqual([
      `a crash that loses what list.c:20 stores ${object}`,
      "leak",
      "lost: 8 bytes at 0x40 of pool: 1",
    ]);
    expect(message).toMatch(new RegExp(`^${leaves}, when this store is lost`));
  });
  it("says where the power is cut, where nothing else is known", () => {
    expect(told([])[0]).toBe(`a crash right after list.c:24 ${object}`);
  });
});

describe("a report", () => {
  it("holds against the published schema", () => {
    const lost = [store(128, 0x64_63_62_61n, 4, 19)];
    expect(reportComplaints(JSON.parse(reportJson(reportOf(samples))))).toEqual([]);
    expect(reportComplaints(reportOf([]))).toEqual([]);
    expect(reportComplaints(reportOf([crashOf(lost), crashOf([])]))).toEqual([]);
    const killed = { kind: "signal", name: "SIGSEGV", site: "", address: 0x10n } as const;
    expect(reportComplaints(reportOf([crashOf(lost, { verdict: killed })]))).toEqual([]);
    expect(reportComplaints(reportOf([crashOf(lost, { expected: ["a", "b"] })]))).toEqual([]);
    expect(reportComplaints(reportOf([crashOf(lost, { leaked })]))).toEqual([]);
  });
  it("that is damaged does not", () => {
    const report = reportOf(samples);
    expect(reportComplaints({ ...report, version: 1 })).not.toEqual([]);
    expect(reportComplaints({ ...report, more: 1 })).not.toEqual([]);
    expect(reportComplaints({ ...report, places: [{ frames: [-1] }] })).not.toEqual([]);
    expect(reportComplaints({ ...report, frames: [{ address: "16" }] })).not.toEqual([]);
  });
  it("names equal calls once", () => {
    const [first] = samples;
    const report = reportOf([first!, { ...first!, fingerprint: "another" }]);
    expect(report.findings[0]!.places[0]!.place).toBe(report.findings[1]!.places[0]!.place);
    expect(new Set(report.frames.map((each) => JSON.stringify(each))).size).toBe(report.frames.length);
  });
});

describe("a crash", () => {
  const [{ places, recovery, cut, cure, witness: shown, message }] = reportOf([
    crashOf([store(128, 0x64_63_62_61n, 4, 19), store(64, 1n, 8, 20)]),
  ]).findings as [Report["findings"][number]];
  it("is told by its places, each with its role", () => {
    expect(places.map(({ role, says }) => `${role}: ${says}`)).toEqual([
      "cause: lost: 8 bytes at 0x40 of pool: 1",
      'lost: lost too: 4 bytes at 0x80 of pool: "abcd"',
      "cut: the power is cut before this sfence",
      "end: recovery ended here",
      "also: the same mistake shows here",
    ]);
    expect(message).toMatch(/^recovery exits with 1, when these 2 stores are lost/);
  });
  it("has a pair of stores out of order, unless it fails with every store kept", () => {
    const [missing, kept] = [store(64, 1n, 8, 20), store(128, 2n, 8, 22)];
    const order = { missing, kept, reading: "too old", stale: 0n, sameValues: false, others: [] } as const;
    const pairOf = (crash: Finding) => reportOf([{ ...crash, order }]).findings[0]!.robustness;
    expect(pairOf(crashOf([missing]))).toMatchObject({ kind: "too-old" });
    const turning = { mark: kept.mark, frames: kept.frames, kind: "store" };
    expect(pairOf(crashOf([], { turning }))).toBeUndefined();
    expect(pairOf(crashOf([]))).toBeUndefined();
  });
  it("is told as data", () => {
    expect(recovery).toMatchObject({
      command: ["./list"],
      verdict: { kind: "exit", code: 1 },
      stdout: "record 0 is empty\n",
    });
    expect(cut).toMatchObject({ before: "sfence", event: 99 });
    expect(cure).toEqual({ kind: "keep", stores: [0, 1] });
    expect(shown).toEqual({
      choices: [
        { kind: "crash", before: 99 },
        { kind: "cut", file: "/pm/pool", line: 2, kept: 3, pieces: [1] },
        { kind: "input", at: 0, bytes: "0aff" },
      ],
      text: "crash:99 cut:2=3/1@/pm/pool input:0=0aff",
    });
  });
  it("that no flush can cure says so", () => {
    const [finding] = reportOf([crashOf([])]).findings;
    expect(finding!.cure).toEqual({ kind: "none", stores: [] });
    expect(finding!.places.map(({ role }) => role)).toEqual(["cause", "end", "also"]);
  });
});

describe("the user's line", () => {
  it("is the innermost call in their own sources", () => {
    const report = reportOf([crashOf([store(0, 1n, 8, 19)])]);
    const { place } = report.findings[0]!.places[0]!;
    expect(shownFrame(report, place)).toMatchObject({ function: "append", line: 19 });
    expect(framesOf(report, place).map(({ library }) => library ?? false)).toEqual([true, false, false, true]);
    expect(report.findings[0]!.headline).toMatch(/^list\.c:19 may still be lost by a crash at list\.c:24: /);
  });
  it("may be in what they call their own", () => {
    const frames = [frame("put", 3, { module: "/opt/theirs.so" }), frame("main", 9)];
    const lines = [() => true, (module: string) => module === "/bin/list"].map((ownModule) => {
      const report = reportOf([finding("missing-flush", "error", frames)], { ownModule });
      return shownFrame(report, report.findings[0]!.places[0]!.place)?.line;
    });
    expect(lines).toEqual([3, 9]);
  });
  it("is not in a system header, nor before main", () => {
    const frames = [frame("push_back", 7, { file: "/usr/include/c++/vector" }), frame("_start", undefined)];
    const report = reportOf([finding("missing-flush", "error", frames)]);
    expect(report.places[0]!.own).toBeUndefined();
  });
});

describe("stores of one statement", () => {
  const writes = (...lost: readonly StoreFact[]) => reportOf([crashOf(lost)]).findings[0]!.lost!;
  it("are one write in whatever order they were made", () => {
    const [a, b, c, d] = [
      store(144, 1n, 8, 19, 1),
      store(128, 2n, 8, 19, 2),
      store(136, 3n, 8, 19, 3),
      store(144, 4n, 8, 19, 4),
    ];
    const [{ lost }] = reportOf([crashOf([d, c, b, a])]).findings as [Report["findings"][number]];
    const bytes = ["0200000000000000", "0300000000000000", "0400000000000000"].join("");
    expect(lost).toMatchObject([{ event: 1, offset: 128, size: 24, bytes, stores: 4 }]);
  });
  it("that were kept belong to the write that was lost where the whole has to be durable", () => {
    const facts = { earlier: [store(144, 1n, 8, 19, 1)], kept: [store(512, 7n, 8, 30, 9)] };
    const report = reportOf([crashOf([store(128, 2n, 8, 19, 2), store(136, 3n, 8, 19, 3)], facts)]);
    expect(report.findings[0]!.headline).toContain("24 bytes at 0x80 of pool durable before");
    expect(report.findings[0]!.places[0]!.says).toMatch(/^lost: 24 bytes at 0x80 of pool/);
  });
  it("that were kept, of another statement, are not durable either and not told as lost", () => {
    const facts = { earlier: [store(144, 1n, 8, 12, 1)], kept: [store(512, 7n, 8, 30, 9)] };
    const report = reportOf([crashOf([store(128, 2n, 8, 19, 2)], facts)]);
    const [told] = report.findings;
    expect(told!.headline).toContain("list.c:19 may be lost while list.c:30 is kept");
    expect(told!.places.slice(0, 2).map(({ role, says }) => [role, says])).toEqual([
      ["cause", "lost: 8 bytes at 0x80 of pool: 2"],
      ["related", "not durable either: 8 bytes at 0x90 of pool: 1"],
    ]);
    const text = reportText(report, { readSource: () => "a line\n".repeat(60), width: 80 });
    expect(text).toContain("lost: 8 bytes at 0x80 of pool: 2; not durable either: line 12");
  });
  it("side by side are one write with its text", () => {
    expect(writes(store(128, 0x6f77_6f72_6c6c_6568n, 8, 19), store(136, 0x0a_21_64n, 4, 19))).toMatchObject([
      { offset: 128, size: 12, bytes: "68656c6c726f776f64210a00", text: "hellrowod!\n", stores: 2 },
    ]);
  });
  it("apart, in other files or of other statements are several", () => {
    expect(writes(store(0, 1n, 8, 19), store(64, 1n, 8, 19), store(8, 1n, 8, 20))).toHaveLength(3);
    expect(writes(store(0, 1n, 8, 19), { ...store(8, 1n, 8, 19), path: "/pm/other" })).toHaveLength(2);
  });
  it("over each other leave the last", () => {
    expect(writes(store(0, 0x1111n, 2, 19, 1), store(1, 0x22n, 1, 19, 2))).toMatchObject([{ size: 2, bytes: "1122" }]);
  });
  it("that are no text have none", () => {
    expect(writes(store(0, 0x1_00n, 2, 19))[0]).not.toHaveProperty("text");
  });
});

describe("sources", () => {
  it("are the lines around places, joined where they meet", () => {
    expect(joined([30, 5, 20, 90, 0, 200], 100)).toEqual([
      [1, 42],
      [78, 100],
    ]);
  });
  it("are those of the user's own code that can be read", () => {
    const text = Array.from({ length: 60 }, (_, at) => `line ${at + 1}`).join("\n");
    const readSource = (path: string) => (path === "/src/list.c" ? text : undefined);
    const { sources } = reportOf([crashOf([store(0, 1n, 8, 19)])], { readSource });
    expect(sources).toMatchObject([{ file: "/src/list.c", excerpts: [{ from: 7 }] }]);
    expect(sources![0]!.excerpts[0]!.lines[12]).toBe("line 19");
    expect(reportOf(samples).sources).toBeUndefined();
  });
});

describe("rules", () => {
  const at = (line: number) => [frame("insert", line), frame("main", 40)];
  it("that point at a flush are of the store that was flushed", () => {
    const flush = finding("missing-fence", "error", [frame("flush", 36), ...at(21)]);
    const stored = (line: number) => ({ says: "stored here", mark: flush.cause, frames: at(line) });
    const rulesOf = (line: number) =>
      reportOf([
        crashOf([{ ...store(64, 1n, 8, 20), frames: at(20) }]),
        { ...flush, evidence: [stored(line)] },
      ]).findings.map(({ rule, alsoRules = [] }) => [rule, ...alsoRules.map((each) => each.rule)]);
    expect(rulesOf(20)).toEqual([["recovery-fails", "missing-fence"]]);
    expect(rulesOf(24)).toEqual([["recovery-fails"], ["missing-fence"]]);
  });
  it("that say why a store was not persisted tell that it was overwritten, too", () => {
    const found = [
      finding("dirty-overwrite", "error", at(12), 2),
      finding("missing-flush", "error", at(12), 5),
      finding("dirty-overwrite", "error", at(20), 7),
    ];
    const { findings, summary } = reportOf(found);
    expect(findings.map(({ rule, alsoRules = [] }) => [rule, ...alsoRules.map((each) => each.rule)])).toEqual([
      ["missing-flush", "dirty-overwrite"],
      ["dirty-overwrite"],
    ]);
    expect(summary.errors).toBe(2);
  });
  const rulesIn = (found: readonly Finding[]) =>
    reportOf(found).findings.map(({ rule, alsoRules = [] }) => [rule, ...alsoRules.map((each) => each.rule)]);
  it("that complain of a store which its transaction did not add are one", () => {
    const found = ["dirty-overwrite", "missing-flush", "unadded-store"].map((id) => finding(id, "error", at(12)));
    expect(rulesIn(found)).toEqual([["unadded-store", "dirty-overwrite", "missing-flush"]]);
  });
  it("are told with the store that turns recovery, and with other places of the same mistake", () => {
    const turning = { mark: finding("", "error", []).cause, frames: at(12), kind: "store" as const };
    const unadded = finding("unadded-store", "error", at(12));
    const lost = { ...store(64, 1n, 8, 20), frames: at(20) };
    expect(rulesIn([crashOf([lost], { turning }), unadded])).toEqual([["recovery-fails", "unadded-store"]]);
    const elsewhere = [{ mark: turning.mark, frames: at(12) }];
    expect(rulesIn([crashOf([lost], { elsewhere }), unadded])).toEqual([["recovery-fails", "unadded-store"]]);
    expect(rulesIn([crashOf([lost]), unadded])).toEqual([["recovery-fails"], ["unadded-store"]]);
  });
  it("of stores that a transaction did not add come first with their crash", () => {
    const [early, late] = [crashOf([{ ...store(64, 1n, 8, 12), frames: at(12) }]), crashOf([store(128, 1n, 8, 20)])];
    const unadded = finding("unadded-store", "error", store(128, 1n, 8, 20).frames, 99);
    expect(rulesIn([early, late, unadded])).toEqual([["recovery-fails", "unadded-store"], ["recovery-fails"]]);
  });
  it("of a store that a transaction did not add say so in the words of its line", () => {
    const text = `${"\n".repeat(11)}  book->count++;\n`;
    const readSource = (path: string) => (path === "/src/list.c" ? text : undefined);
    const unadded = finding("unadded-store", "error", [frame("append", 12, { column: 0 })]);
    const lost = { ...store(64, 1n, 8, 12), frames: [frame("append", 12)], name: "list->count" };
    const told = (found: readonly Finding[], more = { readSource }) => {
      const [first] = reportOf(found, more).findings;
      return [first!.headline, first!.mistake];
    };
    const headline = "list.c:12: book->count is changed in a transaction that did not add it";
    expect(told([crashOf([lost]), unadded])).toEqual([headline, "unadded"]);
    // The rule alone says the same.
    expect(told([unadded])).toEqual([headline, undefined]);
    const silent = { readSource: () => undefined };
    const named = "list.c:12: list->count is changed in a transaction that did not add it";
    expect(told([crashOf([lost]), unadded], silent)).toEqual([named, "unadded"]);
    const other = { ...finding("unadded-store", "error", [frame("append", 13)]), count: 1 };
    expect(told([crashOf([lost]), other])[1]).not.toBe("unadded");
  });
  it("are named in a headline of several lines, each once", () => {
    const names = ["missing-flush", "dirty-overwrite", "unadded-store", "transient-data", "shared-fence"];
    const found = names.map((id) => finding(id, "error", at(12)));
    const crash = crashOf([{ ...store(64, 1n, 8, 12), frames: at(12) }]);
    const [head = "", next = ""] = reportText(reportOf([crash, ...found]), {
      readSource: () => undefined,
      width: 80,
    }).split("\n");
    expect(head.length).toBeLessThanOrEqual(80);
    expect(`${head} ${next.trim()}`).toMatch(
      /^error\[recovery-fails, (?:[a-z-]+, )*[a-z-]+\]: list\.c:12 changes memory in a/,
    );
    for (const name of ["missing-flush", "transient-data"]) expect(`${head}${next}`.split(name)).toHaveLength(2);
  });
  const draftsOf = (id: string) =>
    [30, 35].map((site) => ({
      rule: finding(id, "error", []).rule,
      says: "something",
      cause: { seq: site, thread: 1, site, stack: 1 },
      evidence: [],
      count: 2,
    }));
  it("count the stores of a library's copy once, with its debug information too", () => {
    const memmove = (line: number) => frame("memmove", line, { file: "/libc/memmove.S", module: "/usr/lib/libc.so.6" });
    const found = resolveDrafts(draftsOf("unadded-store"), (site) => [memmove(site), ...at(12)]);
    expect(found.map(({ count }) => count)).toEqual([4]);
  });
  it("count a site once, wherever the compiler put it", () => {
    const inlinedInto = (line: number) => [frame("put", 9, { inlined: true }), frame("grow", line), frame("main", 40)];
    expect(resolveDrafts(draftsOf("missing-flush"), inlinedInto).map(({ count }) => count)).toEqual([4]);
  });
});

it("never says of one failure that a fix cures it and that it is none of order", () => {
  const crash = crashOf([store(64, 1n, 8, 12)], { strict: true });
  const told = (one: Finding) => reportText(reportOf([one]), { readSource: () => undefined, width: 80 });
  expect(told(crash)).toContain("not an ordering bug");
  const diff = "--- a/list.c\n+++ b/list.c\n@@ -12 +12,2 @@\n list->n = 1;\n+persist(&list->n, 8);\n";
  const cured = told({ ...crash, repair: { diff } });
  expect(cured).toMatch(/\(tested: the\s+failure\s+is\s+gone\):\s+list.c:13 \+ persist\(&list->n, 8\);/);
  expect(cured).not.toContain("ordering bug");
});
