/** What `make demo` shows: each mistake of the key-value store is found where it is made, and none without them. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { reportText } from "../../src/report/render/index.ts";
import { buildStore, type Mistake, mistakes } from "../../tools/demo/store.ts";
import { findingsOf, functionsOf, reportOf } from "../support/findings.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-kv-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function check(name: string, mended: readonly Mistake[]) {
  const program = buildStore(folder, name, mended);
  const pool = join(folder, "rooms.pm");
  const findings = await findingsOf("check", ["--recover", `${program} ${pool} check`, "--", program, pool]);
  return findings.map(({ rule, message, cause }) => {
    const { inside } = mistakes.find((mistake) => functionsOf(cause).includes(mistake.inside)) ?? {};
    return [inside, rule, /saying "(.*?)"/.exec(message)?.[1]];
  });
}

it("README shows what it prints today", async () => {
  const program = buildStore(folder, "kv", []);
  const words = ["--recover", `${program} ${join(folder, "rooms.pm")} check`, "--", program, join(folder, "rooms.pm")];
  const text = reportText(await reportOf("check and explore", words), {
    readSource: (path) => readFileSync(path, "utf8"),
  });
  const readme = readFileSync(join(import.meta.dirname, "../../README.md"), "utf8");
  for (const line of text.split("\n")) expect(readme).toContain(line);
});

it("the store's mistakes are found", async () => {
  expect(await check("kv", [])).toEqual([
    ["insert", "recovery-fails", "kitchen: lamp on, radio off, and , but it was to be: (not there)"],
    [
      "update",
      "recovery-fails",
      "hall: lamp on, door open, and  two umbella left, but it was to be: lamp off, door shut, and two umbrellas there",
    ],
    ["del", "recovery-fails", "attic: lamp off, and nobody up here for weeks, but it was to be: (not there)"],
  ]);
});

it("nothing is found without them", async () => expect(await check("mended", mistakes)).toEqual([]));
