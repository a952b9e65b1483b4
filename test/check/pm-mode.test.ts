/** `--pm-mode msync`: to an ordinary file flushes and fences do nothing, so that a crash may lose what only they persisted. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { main } from "../../src/app/commands/main.ts";
import { findingsIn, reportOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

const words = (how: string): readonly string[] => {
  const program = checkGuest("synced", undefined);
  return ["--no-rules", "--recover", `${program} ${pool} check`, "--", program, pool, how];
};

const found = async (command: "check" | "explore", mode: string, how: string): Promise<readonly string[]> => {
  const own = words(how).filter((word) => command === "check" || word !== "--no-rules");
  return findingsIn(await reportOf(command, ["--pm-mode", mode, ...own])).map(({ rule }) => rule);
};

it.each(["check", "explore"] as const)("%s loses what was flushed and not synced", async (command) => {
  expect(await found(command, "dax", "flush")).toEqual([]);
  expect(await found(command, "msync", "flush")).toEqual(["recovery-fails"]);
  expect(await found(command, "msync", "sync")).toEqual([]);
});

it("fix judges by it, too", async () => {
  const fix = (mode: string, how: string) => main(["fix", "--pm-mode", mode, ...words(how).slice(1)]);
  expect(await fix("dax", "flush")).toBe(0);
  expect(await fix("msync", "flush")).toBe(1);
  expect(await fix("msync", "sync")).toBe(0);
});

it("a witness remembers it", async () => {
  const folder = mkdtempSync(join(tmpdir(), "blackout-pm-mode-"));
  try {
    const [witness, report] = [join(folder, "witness.json"), join(folder, "report.txt")];
    const own = words("flush").slice(1);
    const args = [
      "check",
      "--no-journal",
      "--no-explore",
      "--pm-mode",
      "msync",
      "--witness",
      witness,
      "--report",
      report,
    ];
    expect(await main([...args, ...own])).toBe(1);
    expect(await main(["replay", witness])).toBe(1);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
