/**
 * Objects that crashes leak, found by exploration: seeded mistakes and their right twins, with pinned counts. The tree's ends are
 * held against recoveries from their first instruction, and what they leave unreached against libpmemobj's own walk through the
 * objects, natively, on the files that the crash leaves (guests/leaks/objects.c). `make seeded` takes all guests and more states.
 */
import { execFileSync } from "node:child_process";
import { closeSync, ftruncateSync, mkdtempSync, openSync, rmSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import type { Finding } from "../../src/crash/finding/index.ts";
import { planPoints } from "../../src/crash/recovery-tree/index.ts";
import { type CutLine, crashedFiles, layoutOf, replayCrash, TraceCursor } from "../../src/crash/states/index.ts";
import { injectEngine } from "../../src/engines/index.ts";
import { lineCuts } from "../../src/model/pmem/index.ts";
import type { CrashEngine } from "../../src/session/work/index.ts";
import { notesIn, type Trace } from "../../src/trace/events/index.ts";
import { explored, functionsIn, isWhole } from "../explore/support.ts";
import { represented } from "../represent/support.ts";
import { compileGuest } from "../support/programs.ts";
import { finishedPlan } from "../support/scene.ts";

const pool = "/tmp/blackout-leaks-pool.img";
const flags = ["-g", "-O1", "-lpmemobj"];

const shelf = (...defined: readonly string[]) =>
  compileGuest("leaks/shelf.c", [...flags, ...defined.map((name) => `-D${name}`)]);

function exploredShelf(defined: readonly string[], operations: number) {
  const program = shelf(...defined);
  return explored([program, pool, "run", String(operations)], {
    setup: [program, pool, "create"],
    recover: [program, pool, "check"],
    findsLeaks: true,
  });
}
type Explored = ReturnType<typeof exploredShelf>;

/** The pool that a crash leaves, given to the native walk. */
function nativelyUnreached(
  { scene }: Explored,
  layout: Parameters<typeof crashedFiles>[0],
  addresses: readonly number[],
) {
  const { history, trace } = scene.run;
  const { machine } = scene.subject.recovery();
  const crashed = crashedFiles(layout, machine, (path) => history.contentsAt(path, trace.count)).get(pool)!;
  const folder = mkdtempSync(join(tmpdir(), "blackout-leaks-"));
  try {
    const file = join(folder, "pool");
    const out = openSync(file, "w");
    ftruncateSync(out, crashed.size);
    for (const { offset, bytes } of crashed.parts) writeSync(out, bytes, 0, bytes.length, offset);
    closeSync(out);
    const words = [file, "shelf", ...addresses.map(String)];
    const told = execFileSync(compileGuest("leaks/objects.c", flags), words, { encoding: "utf8" });
    return told.split("\n").filter((line) => line !== "");
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Where the program had mapped the pool at any time. */
const mappedAt = (trace: Trace): readonly number[] => [
  ...new Set(
    [...notesIn(trace)].flatMap((event) =>
      event.kind === "map" && event.path === pool ? [event.start - event.offset] : [],
    ),
  ),
];

/** All stores kept, none of those that may be lost, and by chance. */
function* someStates(
  open: Iterable<CutLine["line"]>,
  random: RandomState,
  count: number,
): Iterable<readonly CutLine[]> {
  const lines = [...open];
  yield [];
  yield lines.map((line) => ({ line, cut: [...lineCuts(line)][0]! }));
  for (let i = 0; i < count; i++) yield lines.map((line) => ({ line, cut: pick(random, [...lineCuts(line)]) }));
}

function expectTwins(result: Explored, everyPoint: number, byChance: number): number {
  const { scene, plan } = result;
  const { points, source } = planPoints(scene.run.trace, scene.run.history, "px86");
  const cursor = new TraceCursor(source);
  const { recovery } = scene.subject.recovery();
  const random = seedRandom(7);
  const mapped = mappedAt(scene.run.trace);
  let leaving = 0;
  for (let number = 0; number < points.count; number += everyPoint) {
    const point = points.point(number);
    const moment = cursor.before(point.seq);
    for (const cuts of someStates(moment.lines.open, random, byChance)) {
      const layout = layoutOf(source, point, moment, cuts);
      const slow = recovery.run(layout, scene.judging.hangLimit);
      expect(plan.endOf(number, cuts)).toEqual(slow);
      const unreached = slow.unreached!.map(({ offset, size }) => `${offset} ${size}`);
      expect(unreached).toEqual(nativelyUnreached(result, layout, mapped));
      if (unreached.length > 0) leaving++;
    }
  }
  return leaving;
}

const objectsOf = ({ crash }: Finding) => crash!.leaked!.map(({ file, offset, size }) => `${file} ${offset} ${size}`);

/** Each with its rule, a function of the program, and what is leaked. */
const told = (findings: readonly Finding[], inside: string) =>
  findings.map((finding) => [
    `${finding.rule.severity} ${finding.rule.id}`,
    functionsIn([finding]).includes(inside) ? inside : functionsIn([finding]).join(),
    ...objectsOf(finding),
  ]);

const replayedAnswers = ({ scene }: Explored, findings: readonly Finding[]) => {
  const { run, subject } = scene;
  const { source } = planPoints(run.trace, run.history, "px86");
  const none = () => {
    throw new Error("no crash is inside a recovery");
  };
  return findings.map(({ crash }) => replayCrash(crash!.witness, source, subject.recovery().recovery, none).answer);
};

const everything = new Set<string>();
const leak = (inside: string, ...objects: readonly string[]) => [
  "warning recovery-leaks",
  inside,
  ...objects.map((object) => `${pool} ${object}`),
];

it("an object that is allocated before it is linked is leaked by a crash in between", () => {
  const result = exploredShelf(["BUG_LOOSE"], 1);
  const { statistics, plan } = result;
  expect([statistics.points, statistics.executions]).toEqual([17, 24]);
  const findings = plan.findings(everything);
  expect(told(findings, "put")).toEqual([leak("put", "3933776 112")]);
  expect(replayedAnswers(result, findings)).toEqual(["as recorded"]);
  expect(expectTwins(result, 4, 0)).toBe(2);
});

type Row = readonly [
  defined: readonly string[],
  counts: readonly [points: number, executions: number],
  leaks: readonly (readonly string[])[],
];

/** Three operations each. */
const rows: readonly Row[] = [
  [[], [33, 124], []],
  [["LINK=OFFSET"], [33, 128], []],
  [["LINK=ADDRESS"], [33, 128], []],
  [["BUG_LOOSE"], [29, 128], [leak("put", "3933776 112")]],
  [["BUG_LOOSE", "LINK=OFFSET"], [29, 132], [leak("put", "3933776 112")]],
  [["BUG_LATE_FREE"], [32, 80], [leak("take", "3933904 112")]],
  [["BUG_FORGOTTEN"], [31, 78], []],
  [["BUG_TRIAL"], [36, 126], [leak("put", "3933776 112")]],
];

describe.runIf(isWhole)("every guest, by every engine", () => {
  it.each(rows)("%j", (defined, counts, leaks) => {
    const result = exploredShelf(defined, 3);
    const { statistics, plan, scene } = result;
    const [, inside = "put"] = leaks[0] ?? [];
    const findings = plan.findings(everything);
    expect(told(findings, inside)).toEqual(leaks);
    expect([statistics.points, statistics.executions]).toEqual(counts);
    expect(replayedAnswers(result, findings)).toEqual(leaks.map(() => "as recorded"));
    const program = shelf(...defined);
    const files = { setup: [program, pool, "create"], recover: [program, pool, "check"], findsLeaks: true } as const;
    expect(told(represented([program, pool, "run"], files).plan.findings(everything), inside)).toEqual(leaks);
    if (leaks.length > 0)
      expect(told(finishedPlan(injectEngine() as CrashEngine, scene).findings(everything), inside)).toEqual(leaks);
    expect(expectTwins(result, 2, 1) > 0).toBe(leaks.length > 0 || defined.includes("BUG_FORGOTTEN"));
  });
});
