/** `blackout check` on guests with seeded mistakes and without: what is found, where, and that it can be seen again. */
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkCommand } from "../../src/app/commands/check.ts";
import { replayCommand } from "../../src/app/commands/replay.ts";
import { parseXml } from "../report/xml.ts";
import { shownFindings } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-check-"));
afterAll(() => rmSync(folder, { recursive: true }));
const report = join(folder, "report.json");
const witness = join(folder, "witness.json");

async function check(name: string, bug?: string, options: readonly string[] = []) {
  const args = ["--no-rules", "--format", "json", "--report", report, "--witness", witness, ...options];
  const code = await checkCommand([...args, "--", checkGuest(name, bug), pool]);
  const findings = shownFindings(readFileSync(report, "utf8"));
  return { code, findings, first: findings[0] };
}

it("a seeded mistake is found, and nothing of the run is left on the disk", async () => {
  const { code, findings } = await check("list", "LOST_ACK");
  expect(findings.map(({ rule }) => rule)).toEqual(["recovery-fails"]);
  expect(code).toBe(1);
  expect(existsSync(pool)).toBe(false);
});

it("a mistake that shows at many failure points is one finding", async () => {
  const { findings } = await check("btree", "EARLY_FREE");
  expect(findings.map(({ count }) => count)).toEqual([381]);
});

describe("nothing is found", () => {
  it("in a correct program", async () => {
    expect(await check("list")).toMatchObject({ code: 0, findings: [] });
  });
  it("within a limit, and that is no verdict", async () => {
    expect((await check("array", "MISSING_FENCE", ["--max-states", "1"])).code).toBe(3);
  });
});

describe("a witness", () => {
  it("shows the failure again and writes the crashed file", async () => {
    await check("array", "MISSING_FLUSH");
    const dump = join(folder, "dump");
    expect(await replayCommand(["--dump", dump, witness])).toBe(1);
    const [number] = readdirSync(dump);
    const bytes = readFileSync(join(dump, number!, "files", pool));
    expect(bytes.readBigUInt64LE(0)).toBe(1n);
    expect(bytes.readBigUInt64LE(128)).toBe(0n);
    expect(bytes.readBigUInt64LE(192)).not.toBe(0n);
  });
  it("of something else is refused", async () => {
    await expect(replayCommand([report])).rejects.toThrow("not a witness file");
  });
});

it("CI systems read what was found", async () => {
  const args = ["--no-rules", "--format", "junit", "--report", report];
  expect(await checkCommand([...args, "--", checkGuest("array", "MISSING_FLUSH"), pool])).toBe(1);
  const [suite] = parseXml(readFileSync(report, "utf8")).children;
  const failed = suite!.children.filter(({ children }) => children[0]?.name === "failure");
  expect(failed.map(({ attributes }) => attributes.classname)).toContain("blackout.recovery-fails");
  const passed = suite!.children.filter(({ children }) => children.length === 0);
  expect(passed.map(({ attributes }) => attributes.classname)).toContain("blackout.recovery-hangs");
});

describe("other commands", () => {
  it("the set-up's files are there when the program starts", async () => {
    const command = `${checkGuest("array", "MISSING_FLUSH")} '${pool}'`;
    const options = ["--setup", command, "--recover", `${command} show`];
    const { code, findings } = await check("array", "MISSING_FLUSH", options);
    expect(findings).toEqual([]);
    // The program finds its work done and stores nothing, so that nothing was tested.
    expect(code).toBe(3);
  });
  it("a checker of its own judges what the program left", async () => {
    const checker = `${checkGuest("array", undefined)} ${pool}`;
    const { first } = await check("array", "WRONG_ORDER", ["--recover", checker]);
    expect(first?.message).toMatch(/exits with 3.*cell 0 is lost/);
  });
  it("a failing set-up is told", async () => {
    await expect(check("array", undefined, ["--setup", "/bin/false"])).rejects.toThrow("set-up");
  });
});

it("a recovery that fails after a clean stop is the user's to mend", async () => {
  await expect(check("array", undefined, ["--recover", "/bin/false"])).rejects.toThrow("undisturbed");
});
