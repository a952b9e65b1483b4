/** Some commands of the fuzzers of whole commands (`make fuzz`), each with its seed. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { runBundleMutant } from "../../tools/mutants/whole/bundles.ts";
import { bundleIn } from "../../tools/mutants/whole/fuzz.ts";
import { runOptionsMutant } from "../../tools/mutants/whole/options.ts";
import { runOutputMutant } from "../../tools/mutants/whole/outputs.ts";
import { canMount, runSurroundingsMutant } from "../../tools/mutants/whole/surroundings.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-whole-"));
let bundle = "";
beforeAll(async () => {
  bundle = await bundleIn(folder);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const seeds = [1, 2, 3];

describe("a command ends as it must", () => {
  it.each(seeds)("where links and pipes were planted, and change (seed %d)", async (seed) => {
    expect(await runOutputMutant(seed, bundle)).toMatch(/: \d$/);
  });
  it.each(seeds)("with random options (seed %d)", async (seed) => {
    expect(await runOptionsMutant(seed, bundle)).toMatch(/: \d$/);
  });
  it.each(seeds)("on a stranger's bundle (seed %d)", async (seed) => {
    expect(await runBundleMutant(seed, bundle)).toMatch(/: \d$/);
  });
  // Disks of its own are only root's to have.
  it.skipIf(!canMount()).each(seeds)("where the system gives little (seed %d)", async (seed) => {
    expect(await runSurroundingsMutant(seed, bundle)).toMatch(/: \d$/);
  });
});
