/** Damaged input files are refused, stopped or taken, and never a bug of ours; `make fuzz` goes on from here. */
import { describe, expect, it } from "vitest";
import { inputMutants, runInputMutant } from "../../tools/mutants/inputs.ts";

/** Replaying a witness runs its program. */
const counts: Readonly<Record<keyof typeof inputMutants, number>> = {
  witness: 40,
  btrace: 150,
  config: 150,
  litmus: 80,
};

describe.each(Object.keys(inputMutants) as (keyof typeof inputMutants)[])("damaged files: %s", (kind) => {
  it("are refused, stopped at a limit, or taken for what they say", () => {
    const ends = new Set<string>();
    for (let seed = 0; seed < counts[kind]; seed++) ends.add(runInputMutant(kind, seed));
    expect([...ends]).toContain("refused");
    // A witness names files, so that what damage hits depends on where the project lies.
    if (kind !== "witness") expect([...ends]).toContain("taken");
  });
});
