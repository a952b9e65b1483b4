/** Every form of every instruction, lifted: the verifier finds nothing, alone and in blocks, with and without tracing. */
import { expect, test } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { liftBlock } from "../../src/isa/lift/index.ts";
import { drawBlock, drawSingle, supportedForms, type TestBlock } from "../../tools/cpu-harness/index.ts";

const seed = Number(process.env["SEED"] ?? 0);

/** Lifting verifies, as everywhere in tests. */
const problemsOf = ({ bytes, address }: TestBlock): readonly string[] =>
  [false, true].flatMap((traced) => {
    try {
      return liftBlock(bytes, address, 64, { traced, level: "v3" }) ? [] : ["nothing is lifted"];
    } catch (error) {
      return [String(error)];
    }
  });

test("blocks of one instruction", () => {
  const random = seedRandom(seed);
  for (const form of supportedForms("v3"))
    for (let i = 0; i < 5; i++) {
      const block = drawSingle(form, random);
      if (block) expect.soft(problemsOf(block), `${form.name}, seed ${seed}`).toEqual([]);
    }
});

test("blocks of several", () => {
  const random = seedRandom(seed);
  const forms = supportedForms("v3");
  for (let i = 0; i < 500; i++) expect.soft(problemsOf(drawBlock(forms, random)), `seed ${seed}, ${i}`).toEqual([]);
});
