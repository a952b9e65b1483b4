/**
 * The memo and the machine that stands ready against their slow twin, which runs every crash state from the recovery's
 * first instruction: the same end, output and count of instructions at every store. How many runs the memo leaves is pinned.
 */
import { describe, expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import {
  baseReader,
  CrashWalk,
  crashSourceOf,
  layoutOf,
  PointStates,
  RecoveryMemo,
  RecoveryOutcomes,
  TraceCursor,
} from "../../src/crash/states/index.ts";
import { replay } from "../../src/trace/events/index.ts";
import { compileGuest } from "../support/programs.ts";
import { subjectOf, traced } from "../support/subject.ts";
import { checkGuest, pool } from "./guests.ts";

/** Of what the memo answers, one in so many is run as well; what had to run always is. */
const answersCompared = 7;

/** Every crash state at every store, both ways. */
function compare(program: readonly string[]): { readonly states: number; readonly runs: number } {
  const subject = subjectOf(program, { pm: ["**/*.img"] });
  const { run, judging } = traced(subject);
  const { trace, history } = run;
  const slow = subject.recovery().recovery;
  const maxInstructions = judging.hangLimit;
  const source = crashSourceOf(trace, history);
  const options = { memo: true, expectExit: 0, maxInstructions };
  const quick = new RecoveryOutcomes(subject.recovery().recovery, source, options);
  let states = 0;
  const walk = new CrashWalk(trace.tables, {
    granularity: "store",
    allPoints: true,
    readBase: baseReader(history),
    visit: (point, moment) => {
      const all = new PointStates(moment.lines, point);
      for (let index = 0; index < all.count; index++) {
        states++;
        const state = all.at(index);
        const { kind, cuts } = state;
        const { runs } = quick;
        const ended = quick.stateOutcome(point, moment, state);
        if (quick.runs === runs && states % answersCompared !== 0) continue;
        const place = `before event ${point.seq}, ${kind}, cut ${cuts.map(({ line, cut }) => `${line.index}=${cut.kept}`)}`;
        expect(ended, place).toEqual(slow.run(layoutOf(source, point, moment, cuts), maxInstructions));
      }
    },
  });
  replay(trace, walk);
  return { states, runs: quick.runs };
}

const guests = [
  // guest   mistake         crash states, recoveries run
  ["array", undefined, 87, 13],
  ["array", "MISSING_FLUSH", 408, 49],
  ["list", undefined, 83, 15],
  ["list", "LOST_ACK", 265, 42],
  ["list", "HANG", 93, 20],
  ["queue", undefined, 925, 25],
  ["hashmap", undefined, 1408, 31],
  ["btree", undefined, 7811, 29],
  ["ringlog", undefined, 3185, 962],
  ["undolog", undefined, 189, 25],
  ["redolog", undefined, 2796, 19],
  ["allocator", undefined, 6509, 33],
] as const;

describe("every crash state ends as a run from the beginning does", () => {
  it.each(guests)("%s %s", (name, bug, states, runs) => {
    expect(compare([checkGuest(name, bug), pool])).toEqual({ states, runs });
  });
  it("with shared libraries, files beside the pool, and pages of it that are read by calls", () => {
    expect(compare([compileGuest("check/beside.c", ["-O1", "-g"]), pool])).toEqual({ states: 23, runs: 12 });
  });
  it("with a private mapping that is overwritten before anything is read", () => {
    expect(compare([compileGuest("check/wiped.c", ["-O1", "-g"]), pool])).toEqual({ states: 312, runs: 2 });
  });
});

/** Who explains a finding asks at two positions of the trace by turns, and steps back to where nothing is mapped yet. */
it.each([
  ["btree", "EARLY_FREE", [], 20],
  ["late", undefined, ["check"], 1],
] as const)("two walks over one trace may ask by turns: %s", (name, bug, again, from) => {
  const program = [checkGuest(name, bug), pool];
  const recover = [...program, ...again];
  const subject = subjectOf(program, { pm: ["**/*.img", "**/*.second"], recover });
  const { run, judging } = traced(subject);
  const slow = subject.recovery().recovery;
  const { hangLimit: maxInstructions, expectExit } = judging;
  const options = { memo: true, maxInstructions, expectExit };
  const source = crashSourceOf(run.trace, run.history);
  const quick = new RecoveryOutcomes(subject.recovery().recovery, source, options);
  const cursors = [new TraceCursor(source), new TraceCursor(source)];
  const random = seedRandom(20_261_119);
  for (let turn = 0; turn < 60; turn++) {
    const seq = from + below(random, run.trace.count - from);
    const moment = cursors[turn % 2]!.before(seq);
    const point = { seq, before: "end", thread: 0, site: 0, stack: 0 } as const;
    const layout = layoutOf(source, point, moment, []);
    expect(quick.outcome(point, moment, []), `turn ${turn}`).toEqual(slow.run(layout, judging.hangLimit));
  }
});

describe("the memo", () => {
  const answers = (...values: readonly number[]) => ({
    low: Int32Array.from(values),
    words: Int32Array.from([...values, ...new Array(8 - values.length).fill(0)].flatMap((low) => [low, 0])),
  });
  it("knows a run by its answers, whatever else there is", () => {
    const memo = new RecoveryMemo<string>();
    memo.add([2, 0], answers(5, 6, 7), "first");
    expect(memo.find(answers(5, 0, 7))).toBe("first");
    expect(memo.find(answers(5, 6, 8))).toBeUndefined();
    memo.add([2, 1], answers(5, 6, 8), "second");
    memo.add([2, 1], answers(5, 7, 8), "third");
    const found = [answers(5, 0, 7), answers(0, 6, 8), answers(0, 7, 8), answers(0, 8, 8)].map((at) => memo.find(at));
    expect(found).toEqual(["first", "second", "third", undefined]);
  });
  it("a recovery that asks something else after the same answers is a bug of ours", () => {
    const memo = new RecoveryMemo<string>();
    memo.add([0, 1], answers(1, 2, 3), "first");
    expect(() => memo.add([0, 2], answers(1, 9, 3), "second")).toThrow("asks the same");
    expect(() => memo.add([0, 1], answers(1, 2, 3), "second")).toThrow("ends the same");
  });
  it.each([1, 2, 3])("goes on where its search ended, or from the beginning: the same (seed %i)", (seed) => {
    const random = seedRandom(seed);
    const [quick, slow] = [new RecoveryMemo<string>(4000, false), new RecoveryMemo<string>(4000, true)];
    let known = 0;
    // The path that the quick one holds: what was asked, and the answers.
    let held: { readonly asked: readonly number[]; readonly low: Int32Array } = { asked: [], low: new Int32Array(8) };
    for (let round = 0; round < 2000; round++) {
      const present = answers(...Array.from({ length: 8 }, () => below(random, 2 + (seed % 2))));
      // What is asked next follows from the answers so far.
      const asked = [0];
      for (let at = 0; at < 6; at++) {
        const next = (asked.at(-1)! * 3 + present.low[asked.at(-1)!]! * 5 + 1) % 8;
        if (!asked.includes(next)) asked.push(next);
      }
      const outcome = asked.map((question) => present.low[question]).join("");
      const first = held.asked.findIndex((question) => held.low[question] !== present.low[question]);
      const found = quick.find(present, first < 0 ? held.asked.length : first);
      expect(slow.find(present)).toBe(found);
      expect([...quick.path(present)].flatMap((part) => [...part])).toEqual(
        [...slow.path(present)].flatMap((part) => [...part]),
      );
      if (found !== undefined) {
        known++;
        expect(found).toBe(outcome);
      } else {
        quick.add(asked, present, outcome);
        slow.add(asked, present, outcome);
      }
      if (below(random, 3) > 0) continue;
      quick.hold();
      held = { asked, low: present.low };
    }
    expect(known).toBeGreaterThan(500);
  });
  it("forgets when it is full", () => {
    const memo = new RecoveryMemo<string>(3);
    memo.add([0, 1], answers(1, 2), "first");
    memo.add([0, 1], answers(1, 3), "second");
    expect([memo.find(answers(1, 2)), memo.find(answers(1, 3))]).toEqual([undefined, "second"]);
  });
});
