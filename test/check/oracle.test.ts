/** The output oracle: mistakes that no exit code shows are found by what recovery prints. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkCommand } from "../../src/app/commands/check.ts";
import { replayCommand } from "../../src/app/commands/replay.ts";
import { operationAround } from "../../src/crash/states/index.ts";
import { checkGuest, pool } from "./guests.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-oracle-"));
afterAll(() => rmSync(folder, { recursive: true }));
const report = join(folder, "report.json");
const witness = join(folder, "witness.json");

async function check(bug: string | undefined, ...options: readonly string[]) {
  const guest = checkGuest("accounts", bug);
  const where = ["--format", "json", "--report", report, "--witness", witness];
  const recover = ["--recover", `${guest} dump ${pool}`];
  const code = await checkCommand(["--no-rules", ...where, ...recover, ...options, "--", guest, "run", pool]);
  const { findings } = JSON.parse(readFileSync(report, "utf8")) as {
    findings: readonly { readonly rule: string; readonly message: string }[];
  };
  return { code, findings };
}

const output = ["--oracle", "output"];

describe("by what recovery prints", () => {
  it("a half-done update is found, and seen again", async () => {
    const { code, findings } = await check("HALF_DONE", ...output);
    expect(code).toBe(1);
    expect(findings[0]).toMatchObject({ rule: "recovery-output" });
    expect(findings[0]!.message).toMatch(/prints "-1 0"; .* "0 0" before .* "-1 1" after/);
    expect(await replayCommand([witness])).toBe(1);
  });
  it("a lost update is found", async () => {
    const { findings } = await check("LOST_UPDATE", ...output);
    expect(findings.map(({ rule }) => rule)).toContain("recovery-output");
  });
  it("nothing is found in the correct program, at any store", async () => {
    expect(await check(undefined, ...output, "--granularity", "store", "--all-points")).toEqual({
      code: 0,
      findings: [],
    });
  });
});

it("by its exit code alone nothing is found", async () => {
  expect((await check("HALF_DONE")).findings).toEqual([]);
});

it("the operation under way lies between the ends around a crash", () => {
  const ends = Uint32Array.of(5, 9);
  const around = [0, 4, 5, 8, 9, 12].map((seq) => operationAround(ends, seq, 20));
  expect(around).toEqual([
    [0, 5],
    [0, 5],
    [5, 9],
    [5, 9],
    [9, 20],
    [9, 20],
  ]);
});
