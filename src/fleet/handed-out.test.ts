/** Units of a fleet, with a queue that does what the test says and a clock of its own. */
import { describe, expect, it } from "vitest";
import { timedText } from "../session/work/index.ts";
import { HandedOut, type UnitQueue } from "./handed-out.ts";
import type { UnitJob } from "./names.ts";

const job: UnitJob = { session: "s", build: "b", setup: "", message: "" };
const resultOf = (unit: unknown, seconds = 1) => timedText({ result: { unit, tested: 1 }, seconds });

function handed() {
  const added: string[] = [];
  const removed: string[] = [];
  const queue: UnitQueue = {
    add: async (_name, _job, options) => added.push((options as { readonly jobId: string }).jobId),
    remove: async (jobId) => removed.push(jobId),
    getJob: async () => undefined,
  };
  let now = 0;
  const out = new HandedOut(queue, "s", () => now);
  return { out, added, removed, wait: (seconds: number) => (now += seconds) };
}

describe("a unit", () => {
  it("has its first result, and its jobs are taken back", async () => {
    const { out, added, removed } = handed();
    const judged = out.judge([7], job);
    await Promise.resolve();
    out.completed(added[0]!, resultOf([7]));
    out.completed(added[0]!, resultOf([7], 9));
    expect(await judged).toMatchObject({ seconds: 1 });
    expect([out.count, removed]).toEqual([0, added]);
  });

  it.each([
    ["another unit's result", resultOf([8])],
    ["no result at all", "{}"],
    ["no text", 5],
  ])("answered with %s is nobody's", async (_what, answer) => {
    const { out, added } = handed();
    const judged = out.judge([7], job);
    await Promise.resolve();
    out.completed(added[0]!, answer);
    expect(await judged).toBe("nobody");
  });

  it("that takes long is handed out once more when others are done, and either worker may be first", async () => {
    for (const first of [1, 2]) {
      const { out, added, removed, wait } = handed();
      const [quick, slow] = [out.judge([1], job), out.judge([2], job)];
      await Promise.resolve();
      out.completed(added[0]!, resultOf([1]));
      await quick;
      await out.repeatSlow(2);
      expect(added).toHaveLength(2);
      wait(6);
      // No worker is idle.
      await out.repeatSlow(1);
      expect(added).toHaveLength(2);
      await out.repeatSlow(2);
      await out.repeatSlow(2);
      expect(added).toHaveLength(3);
      out.completed(added[first]!, resultOf([2]));
      expect(await slow).toBeDefined();
      expect(new Set(removed)).toEqual(new Set(added));
    }
  });

  it("is nobody's when both of its jobs fail, and not before", async () => {
    const { out, added, wait } = handed();
    const [quick, slow] = [out.judge([1], job), out.judge([2], job)];
    await Promise.resolve();
    out.completed(added[0]!, resultOf([1]));
    await quick;
    wait(6);
    await out.repeatSlow(2);
    out.failed(added[1]!);
    expect(out.count).toBe(1);
    out.failed(added[2]!);
    expect(await slow).toBe("nobody");
  });
});
