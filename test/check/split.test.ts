/** However crash states are split over judges, they say the same together. */
import { describe, expect, it } from "vitest";
import { checkCommand } from "../../src/app/commands/check.ts";
import { main } from "../../src/app/commands/main.ts";
import { progressText } from "../../src/app/commands/progress.ts";
import { below, seedRandom } from "../../src/base/index.ts";
import { FailureTally, InjectJudge, injectSource } from "../../src/engines/index.ts";
import { Coverage } from "../../src/session/work/index.ts";
import { subjectOf, traced } from "../support/subject.ts";
import { checkGuest, pool } from "./guests.ts";

function prepare(name: string, bug: string | undefined) {
  const subject = subjectOf([checkGuest(name, bug), pool]);
  const { run, judging } = traced(subject);
  const options = { expectExit: 0, memo: true, maxInstructions: judging.hangLimit };
  const source = injectSource({ run }, { granularity: "store", allPoints: true, memo: true });
  return {
    source,
    judge: (memo = true) => {
      const judged = { output: false, work: false };
      return new InjectJudge(source, () => subject.recovery().recovery, { ...options, memo }, judged);
    },
  };
}

describe("judges that share the work", () => {
  it.each([
    ["list", "LOST_ACK"],
    ["array", "WRONG_ORDER"],
  ])("%s %s", (name, bug) => {
    const { source, judge } = prepare(name, bug);
    const { states } = source.table;
    const alone = new FailureTally();
    alone.add(judge().judge({ from: 0, to: states }, [], () => false));
    expect(alone.findings(source.table)).not.toEqual([]);
    for (let seed = 0; seed < 3; seed++) {
      const random = seedRandom(seed);
      const judges = [judge(), judge(), judge()];
      const together = new FailureTally();
      const coverage = new Coverage();
      let waiting: ReturnType<InjectJudge["judge"]>[] = [];
      for (let from = 0; from < states; ) {
        const to = Math.min(states, from + 1 + below(random, 20));
        waiting.push(judges[below(random, 3)]!.judge({ from, to }, together.keysBefore(from), () => false));
        coverage.add({ from, to });
        from = to;
        if (below(random, 2) === 0) continue;
        for (const judged of waiting.toReversed()) together.add(judged);
        waiting = [];
      }
      for (const judged of waiting) together.add(judged);
      expect(together.findings(source.table), `seed ${seed}`).toEqual(alone.findings(source.table));
      expect(coverage.count).toBe(states);
    }
  });

  it("end after the state under way when they are stopped", () => {
    const { judge } = prepare("array", "WRONG_ORDER");
    let left = 3;
    expect(judge().judge({ from: 2, to: 20 }, [], () => left-- === 0)).toMatchObject({
      unit: { from: 2, to: 5 },
      rest: { from: 5, to: 20 },
    });
  });
});

/** Where recovery looks at no line that can be cut, one state answers for its point; without a memo each is run. */
describe("states that end alike are judged at once", () => {
  it.each([
    // guest, mistake, states, those that are judged one by one
    ["array", "WRONG_ORDER", 87, 79],
    ["queue", undefined, 925, 103],
  ])("%s %s", (name, bug, states, oneByOne) => {
    const { source, judge } = prepare(name, bug);
    let asked = 0;
    const all = { from: 0, to: source.table.states };
    const { groups, unit } = judge().judge(all, [], () => {
      asked++;
      return false;
    });
    expect(unit).toEqual(all);
    expect(groups).toEqual(judge(false).judge(all, [], () => false).groups);
    expect([all.to, asked]).toEqual([states, oneByOne]);
  });
});

it("coverage knows what is left, in whatever order ranges come", () => {
  for (let seed = 0; seed < 50; seed++) {
    const random = seedRandom(seed);
    const coverage = new Coverage();
    const seen = new Set<number>();
    for (let ranges = below(random, 8); ranges > 0; ranges--) {
      const from = below(random, 30);
      const to = from + below(random, 8);
      coverage.add({ from, to });
      for (let state = from; state < to; state++) seen.add(state);
    }
    const left = coverage.gaps(32).flatMap(({ from, to }) => [...Array(to - from).keys()].map((at) => from + at));
    expect(left, `seed ${seed}`).toEqual([...Array(32).keys()].filter((state) => !seen.has(state)));
    expect(coverage.count, `seed ${seed}`).toBe(seen.size);
  }
});

it("progress tells rates, findings and what is left", () => {
  const done = { engine: "inject", items: 1200, itemsInAll: 4000, tested: 160, skipped: 640, findings: 1 };
  expect(progressText(done, 8, 120)).toBe(
    "blackout: 1200 of 4000 crash states (30%), 20 tested and 80 skipped a second, 1 finding so far, 28 s left",
  );
  expect(progressText({ ...done, items: 1000, tested: 1, skipped: 0, findings: 0 }, 2, 120)).toMatch(
    /, 0 findings so far, 1 h 40 min left$/,
  );
});

it("a check whose time is up before it began has no verdict", async () => {
  const args = ["--no-rules", "--time", "0s", "--", checkGuest("array", "WRONG_ORDER"), pool];
  expect(await main(["check", ...args])).toBe(3);
});

it.each([
  [["--time", "soon", "--", "/bin/true"], "takes a time such as"],
  [["-j", "0", "--", "/bin/true"], "takes a number from 1 on"],
  [["--", "/no/such/program"], "does not exist"],
  [["--journal", "/proc/journal", "--", checkGuest("array", undefined), pool], "cannot be written"],
])("%j is refused", async (args, says) => {
  await expect(checkCommand(args)).rejects.toThrow(says);
});
