/** A site is one finding however many calls lead to it; what crashes show makes a doubtful finding an error. */
import { expect, it } from "vitest";
import { confirmedByCrashes, type Draft, type Finding, resolveDrafts } from "../../src/crash/finding/index.ts";
import { ruleCatalogue } from "../../src/engines/index.ts";
import type { Frame } from "../../src/trace/events/index.ts";

const frame = (name: string, address: number, module = "/home/user/program"): Frame =>
  ({ address, function: name, file: `${name}.c`, line: address, module }) as Frame;
const callers: Readonly<Record<number, readonly Frame[]>> = {
  1: [frame("put", 10), frame("add", 20)],
  2: [frame("put", 10), frame("grow", 30)],
  3: [frame("memcpy", 5, "/usr/lib/x86_64-linux-gnu/libc.so.6"), frame("add", 21)],
  4: [frame("memcpy", 5, "/usr/lib/x86_64-linux-gnu/libc.so.6"), frame("grow", 31)],
};
const ruleOf = (id: string) => ruleCatalogue.find((rule) => rule.id === id)!;
const draft = (id: string, stack: number): Draft => ({
  rule: ruleOf(id),
  says: "",
  cause: { seq: 0, thread: 1, site: 10, stack },
  evidence: [],
  count: 1,
});
const counts = (id: string, stacks: readonly number[]) =>
  resolveDrafts(
    stacks.map((stack) => draft(id, stack)),
    (_site, stack) => callers[stack]!,
  ).map(({ count }) => count);

it("a store that may be lost counts once at its site", () => expect(counts("missing-flush", [1, 2])).toEqual([2]));
it("a library's store counts at the program's call of it", () => {
  expect(counts("missing-flush", [3, 4, 3])).toEqual([2, 1]);
});
it("what only costs time is each caller's own", () => expect(counts("flush-clean", [1, 2])).toEqual([1, 1]));

it("a store that recovery fails without is an error", () => {
  const [doubtful, other] = resolveDrafts(
    [draft("transient-data", 1), draft("transient-data", 3)],
    (_, stack) => callers[stack]!,
  );
  const lost = [{ mark: doubtful!.cause, frames: callers[2]! }];
  const crash = {
    ...doubtful!,
    rule: { ...ruleOf("missing-flush"), id: "recovery-fails" },
    crash: { lost },
  } as unknown as Finding;
  const severities = confirmedByCrashes([crash, doubtful!, other!]).map(({ rule }) => rule.severity);
  expect(severities).toEqual(["error", "error", "warning"]);
});
