/** However crash states are split over judges, they say the same together. */
import { describe, expect, it } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { checkCommand, crashSource, hangLimit } from "../../src/cli/check.ts";
import { judgeOptions } from "../../src/cli/check-judges.ts";
import { type CheckOptions, checkCommandLine } from "../../src/cli/check-options.ts";
import { progressText } from "../../src/cli/check-progress.ts";
import { CheckSession } from "../../src/cli/check-session.ts";
import { Coverage, FailureTally, Judge, type Judged } from "../../src/engines/index.ts";
import { checkGuest, pool } from "./guests.ts";

function prepare(name: string, bug: string) {
  const command = checkCommandLine();
  command.parse(["--granularity", "store", "--all-points", "--", checkGuest(name, bug), pool], { from: "user" });
  const options = command.opts<CheckOptions>();
  const session = new CheckSession(options, command.args);
  const run = session.trace([]);
  const { recovery } = session.recovery();
  const judging = judgeOptions(options, hangLimit(recovery, run, options));
  const source = crashSource(run, options);
  return { source, judge: () => new Judge(source, recovery, judging) };
}

describe("judges that share the work", () => {
  it.each([
    ["list", "LOST_ACK"],
    ["array", "WRONG_ORDER"],
  ])("%s %s", (name, bug) => {
    const { source, judge } = prepare(name, bug);
    const { states } = source.plan;
    const alone = new FailureTally();
    alone.add(judge().judge({ from: 0, to: states }, [], () => false));
    expect(alone.findings(source.plan)).not.toEqual([]);
    for (let seed = 0; seed < 3; seed++) {
      const random = seedRandom(seed);
      const judges = [judge(), judge(), judge()];
      const together = new FailureTally();
      let waiting: Judged[] = [];
      for (let from = 0; from < states; ) {
        const to = Math.min(states, from + 1 + below(random, 20));
        waiting.push(judges[below(random, 3)]!.judge({ from, to }, together.keysBefore(from), () => false));
        from = to;
        if (below(random, 2) === 0) continue;
        for (const judged of waiting.toReversed()) together.add(judged);
        waiting = [];
      }
      for (const judged of waiting) together.add(judged);
      expect(together.findings(source.plan), `seed ${seed}`).toEqual(alone.findings(source.plan));
      expect(together.coverage.states).toBe(states);
    }
  });

  it("end after the state under way when they are stopped", () => {
    const { judge } = prepare("array", "WRONG_ORDER");
    let left = 3;
    expect(judge().judge({ from: 2, to: 20 }, [], () => left-- === 0)).toMatchObject({ from: 2, to: 5 });
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
    expect(coverage.states, `seed ${seed}`).toBe(seen.size);
  }
});

it("progress tells rates, findings and what is left", () => {
  const done = { states: 1200, statesInAll: 4000, tested: 160, skipped: 640, findings: 1 };
  expect(progressText(done, 8)).toBe(
    "1200 of 4000 crash states (30%), 20 tested and 80 skipped a second, 1 finding so far, 28 s left",
  );
  expect(progressText({ ...done, states: 1000, tested: 1, skipped: 0, findings: 0 }, 2)).toMatch(
    /, 0 findings so far, 1 h 40 min left$/,
  );
});

it("a check whose time is up before it began has no verdict", async () => {
  const args = ["--no-rules", "--time", "0s", "--", checkGuest("array", "WRONG_ORDER"), pool];
  expect(await checkCommand(args)).toBe(3);
});

it.each([
  [["--time", "soon", "--", "/bin/true"], "takes a time such as"],
  [["-j", "0", "--", "/bin/true"], "takes a number from 1 on"],
  [["--", "/no/such/program"], "does not exist"],
  [["--journal", "/proc/journal", "--", checkGuest("array", undefined), pool], "cannot be written"],
])("%j is refused", async (args, says) => {
  await expect(checkCommand(args)).rejects.toThrow(says);
});
