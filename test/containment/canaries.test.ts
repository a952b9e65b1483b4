/** Random file calls of two guests with one granted directory, beside canary files; `make fuzz` goes on from here. */
import { expect, test } from "vitest";
import { runGrantMutant } from "../../tools/mutants/grants.ts";

test("nothing beside a granted directory changes", () => {
  for (let seed = 0; seed < 15; seed++) expect(runGrantMutant(seed), `seed ${seed}`).toBe(400);
});
