/** Damaged programs in the machine: refused, crashed, stopped, but never out of it. `tools/fuzz-elf.ts` goes on from here. */
import { describe, expect, it } from "vitest";
import { runMutant } from "../../tools/mutants/elf.ts";

describe("damaged programs", () => {
  const seeds = Array.from({ length: 60 }, (_, seed) => seed);
  it("end inside the machine, in more than one way", () => {
    const ends = seeds.map((seed) => {
      try {
        return runMutant(seed);
      } catch (error) {
        throw new Error(`seed ${seed} got out of the machine`, { cause: error });
      }
    });
    expect(new Set(ends)).toContain("refused");
    expect(new Set(ends)).toContain("exit");
  });
});
