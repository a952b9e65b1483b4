/** Without a journal, nothing of what was judged is kept for one. */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Journaling } from "../../src/session/work/journaling.ts";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

const identity = { blackout: "", program: "", options: "", binaries: "" };
const told = () => ({ engine: "explore", result: { unit: 0, tested: 1, asked: new Array<number>(1000).fill(1) } });

test("results of units are let go", async () => {
  const journaling = new Journaling({ journal: false }, identity, () => {});
  const kept = Array.from({ length: 8 }, () => {
    const entry = told();
    journaling.add(entry);
    return new WeakRef(entry.result);
  });
  // What a weak reference led to stays until the turn is over.
  await new Promise((resolve) => setTimeout(resolve));
  collectGarbage();
  expect(kept.map((result) => result.deref())).toEqual(kept.map(() => undefined));
  journaling.end("done");
});
