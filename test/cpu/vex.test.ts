/** AVX instructions against the real processor. Where it has none, the tiers are compared with each other (test/ir). */
import { describe } from "vitest";
import { processorLevel } from "../../tools/cpu-harness/index.ts";
import { compareAll } from "./compare.ts";

// A processor without AVX2 has nothing to say about it.
describe.skipIf(processorLevel !== "v3")("on a processor with AVX2", () => {
  compareAll(({ float, encoding }) => float && encoding === "vex", "v3");
});
