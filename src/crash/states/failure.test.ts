import { expect, it } from "vitest";
import { failureKey } from "./failure.ts";
import type { Verdict } from "./recovery-machine.ts";

const aborted: Verdict = { kind: "signal", name: "SIGABRT", site: "raise", address: undefined };
const key = (verdict: Verdict, stderr: string) => failureKey({ verdict, stderr });

it("two assertions are two failures", () => {
  const assertion = (line: number) => key(aborted, `opening\nlist: list.c:${line}: walk: Assertion \`node' failed.\n`);
  expect(assertion(95)).not.toBe(assertion(96));
  expect(assertion(95)).toBe(assertion(95));
  expect(key({ kind: "exit", code: 1 }, "kv.c:12: damaged")).not.toBe(
    key({ kind: "exit", code: 1 }, "kv.c:40: damaged"),
  );
});

it("what a recovery met does not make another failure of it", () => {
  expect(key(aborted, "free(): invalid pointer 0x5510")).toBe(key(aborted, "free(): invalid pointer 0x77a0"));
  expect(key({ kind: "exit", code: 3 }, "cell 0 is lost")).toBe(
    key({ kind: "exit", code: 3 }, "the hall is not there"),
  );
  expect(key({ kind: "exit", code: 3 }, "")).not.toBe(key({ kind: "exit", code: 4 }, ""));
  expect(key({ kind: "hang", instructions: 10 }, "a")).toBe(key({ kind: "hang", instructions: 20 }, "b"));
});
