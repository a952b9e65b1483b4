/** A store of 32 bytes is one store, which a crash tears into its aligned words: exploration, and every crash state one by one. */
import { expect, it } from "vitest";
import { compileGuest } from "../support/programs.ts";
import { expectTwins, explored, pool } from "./support.ts";

const guest = compileGuest("explore/wide.c", ["-O1", "-g", "-static"]);

function explore(how: string, place: number) {
  const of = (what: string) => [guest, what, pool, `${place}`];
  return explored(of("run"), { setup: of("setup"), recover: of(how), cpu: "v3" });
}

// Of the words that hold the number, both values and the sum, whatever lines they lie in; a fifth word where none is aligned.
it.each([
  ["in one line", 0, 4],
  ["over two lines", 1, 4],
  ["over two pages", 2, 4],
  ["at no multiple of eight", 3, 5],
])("%s", (_, place, words) => {
  const torn = explore("trusting", place);
  const { all, failed } = expectTwins(torn.plan, torn.scene, torn.statistics.yatStates, "trusting");
  // And one at the end.
  expect(all.items).toBe(2 ** words + 1);
  expect(failed.length).toBeGreaterThan(0);
  expect(torn.plan.findings()).toHaveLength(1);
  const checked = explore("recover", place);
  expectTwins(checked.plan, checked.scene, checked.statistics.yatStates, "checked");
  expect(checked.plan.findings()).toEqual([]);
});
