/** What fuzzers of whole commands share: seeds from the command line, a bundle to read, and a tally of how commands ended. */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { endRunning, mustEnd } from "./ended.ts";
import { wrongCheck } from "./usual.ts";

/** What `check --bundle` wrote. */
export async function bundleIn(folder: string): Promise<string> {
  const bundle = join(folder, "bundle");
  const args = [...wrongCheck.words, "--bundle", bundle, ...wrongCheck.program];
  await mustEnd({ args, cwd: folder, seconds: 60 }, [1]);
  // Other users read it, too.
  execFileSync("chmod", ["-R", "a+rX", folder]);
  return bundle;
}

const tellEvery = 20;

export async function fuzzWhole(name: string, run: (seed: number, bundle: string) => Promise<string>): Promise<void> {
  const first = Number(process.argv[2] ?? 0);
  const count = Number(process.argv[3] ?? Number.POSITIVE_INFINITY);
  const folder = mkdtempSync(join(tmpdir(), "blackout-fuzz-"));
  const tally = new Map<string, number>();
  console.log(`${name} fuzz, seed ${first}`);
  process.once("SIGTERM", () => {
    endRunning();
    rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  try {
    const bundle = await bundleIn(folder);
    for (let seed = first; seed < first + count; seed++) {
      const end = await run(seed, bundle).catch((error: unknown) => {
        console.log(`seed ${seed} failed`);
        throw error;
      });
      tally.set(end, (tally.get(end) ?? 0) + 1);
      if ((seed - first + 1) % tellEvery === 0)
        console.log(`seed ${seed}: ${JSON.stringify(Object.fromEntries(tally))}`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  console.log(`${count} commands: ${JSON.stringify(Object.fromEntries(tally))}`);
}
