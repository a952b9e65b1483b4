/**
 * Programs that store to a pool and write to it by calls, mapped or not: random ones against every crash state one by one, and what
 * a crash at the end leaves with every store kept against the file that the same program leaves natively. Each state that is
 * laid out is asked of the operational model (src/crash/states/legal-states.ts). CALLS_SEED and CALLS_PROGRAMS go on with others.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { env } from "node:process";
import { expect, it } from "vitest";
import { seedRandom } from "../../src/base/index.ts";
import { crashedFiles, crashSourceOf, layoutOf, TraceCursor } from "../../src/crash/states/index.ts";
import type { LeadScene } from "../../src/session/work/index.ts";
import { drawnCalls, interpreted as guest, ofRecovery } from "./random-programs.ts";
import { expectReplayed, expectTwins, explored, pool } from "./support.ts";

const seed = Number(env["CALLS_SEED"] ?? 21);
const programs = Number(env["CALLS_PROGRAMS"] ?? 20);
const replaysOneIn = 6;
const mostStates = 300;

/** The file that the program leaves when it runs on the real processor and kernel. */
function leftNatively(run: string): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "blackout-calls-"));
  try {
    execFileSync(guest, ["run", join(folder, "pool.img"), run]);
    return new Uint8Array(readFileSync(join(folder, "pool.img")));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** What a crash at the end leaves of the pool when it keeps every store. */
function leftByCrash({ trace, run: { history }, subject }: LeadScene): Uint8Array {
  const source = crashSourceOf(trace, history);
  const seq = trace.count;
  const layout = layoutOf(source, { seq }, new TraceCursor(source).before(seq), []);
  const { machine } = subject.recovery();
  const crashed = crashedFiles(layout, machine, (path) => history.contentsAt(path, seq)).get(pool)!;
  const whole = new Uint8Array(crashed.size);
  for (const { offset, bytes } of crashed.parts) whole.set(bytes, offset);
  return whole;
}

it(`${programs} random programs from seed ${seed} on: native files, and the same failing states one by one`, () => {
  let failing = 0;
  for (let number = seed; number < seed + programs; number++) {
    const { run, recover } = drawnCalls(seedRandom(number));
    const told = `CALLS_SEED=${number}: run "${run}", recover "${recover}"`;
    const commands = { setup: [guest, "setup", pool], recover: [guest, "recover", pool, recover] };
    const result = ofRecovery(told, () => explored([guest, "run", pool, run], { ...commands, seed: number }));
    if (result === undefined || result.statistics.points === 0) continue;
    const { plan, scene, statistics } = result;
    expect(Buffer.from(leftByCrash(scene)).compare(leftNatively(run)), told).toBe(0);
    expect(statistics.openStates, told).toBe(0);
    if (BigInt(statistics.yatStates) > BigInt(mostStates)) continue;
    const { all, failed } = expectTwins(plan, scene, statistics.yatStates, told);
    if (failed.length > 0 && failing++ % replaysOneIn === 0) expectReplayed(plan, scene, all, told);
  }
  expect(failing).toBeGreaterThan(0);
});
