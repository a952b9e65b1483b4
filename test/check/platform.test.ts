/** What survives a crash is the platform's: where caches do, flushes play no part and the order of stores still does. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { main } from "../../src/app/commands/main.ts";
import { findingsOf } from "../support/findings.ts";
import { checkGuest, pool } from "./guests.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-platform-"));
afterAll(() => rmSync(folder, { recursive: true }));

const found = async (bug: string, ...options: readonly string[]) =>
  (await findingsOf("check", [...options, "--", checkGuest("array", bug), pool])).map(({ rule }) => rule);

it("nothing is lost that was stored", async () => {
  expect(await found("MISSING_FLUSH")).toContain("recovery-fails");
  expect(await found("MISSING_FLUSH", "--platform", "eadr")).toEqual([]);
});

it("a wrong order is as wrong, and its witness replays", async () => {
  const witness = join(folder, "witness.json");
  expect(await found("WRONG_ORDER", "--platform", "eadr", "--witness", witness)).toEqual(["recovery-fails"]);
  expect(await main(["replay", witness])).toBe(1);
});
