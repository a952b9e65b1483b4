/** docs/adding-an-engine.md, run: the engine on that page gets all that the session has for every engine. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { checkGuest, pool } from "../check/guests.ts";
import { runBlackout } from "../end-to-end/command.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-own-engine-"));
afterAll(() => rmSync(folder, { recursive: true }));

const page = readFileSync(join(import.meta.dirname, "../../docs/adding-an-engine.md"), "utf8");
const [, name, code] = /```ts (\S+)\n(.*?)```/s.exec(page)!;
const file = join(folder, name!);
writeFileSync(file, code!);
const journal = join(folder, "journal");

const head = 0;
function check(options: readonly string[], watched = head) {
  const own = ["--engine", file, "--no-rules", "--journal", journal, ...options];
  const command = ["check", ...own, "--", checkGuest("list", undefined), pool];
  return runBlackout(command, { environment: { WATCHED: String(watched) }, cwd: folder });
}

interface Shown {
  readonly rule: string;
  readonly severity: string;
  readonly count: number;
  readonly fingerprint: string;
}
const findings = (options: readonly string[]): readonly Shown[] =>
  (JSON.parse(check(["--format", "json", ...options]).stdout) as { readonly findings: readonly Shown[] }).findings;

describe("an engine of one's own", () => {
  it("reports what it found, and what it did not find", () => {
    expect(findings([])).toMatchObject([{ rule: "watched-store", severity: "warning" }]);
    expect(check([], 1 << 19).stderr).toMatch(/0 errors, 0 performance, 0 warnings/);
  });

  it("finds the same with workers", () => {
    expect(findings(["-j", "2"])).toEqual(findings(["-j", "1"]));
  });

  it("goes on from a journal", () => {
    const all = findings([]);
    expect(check(["--max-states", "5"]).code).toBe(3);
    expect(readFileSync(join(journal, "journal"), "utf8")).toMatch(/"engine":"watched-store"/);
    expect(findings(["--resume"])).toEqual(all);
    expect(existsSync(journal)).toBe(false);
  });

  it("is not taken up with other options", () => {
    check(["--max-states", "5"]);
    const { code, stderr } = check(["--resume"], 8);
    expect(code).toBe(2);
    expect(stderr).toMatch(/the options are not the same/);
  });

  it("has its findings suppressed, and fails where it is told to", () => {
    const suppressions = join(folder, "supp");
    writeFileSync(suppressions, "{\n  the head\n  blackout:watched-store\n  ...\n}\n");
    expect(findings(["--suppressions", suppressions])).toEqual([]);
    expect(check(["--fail-on", "warning"]).code).toBe(1);
    expect(check(["--fail-on", "warning", "--suppressions", suppressions]).code).toBe(0);
  });

  it.each([
    ["text", /list\.c:66 watched-store \(5 times\)/],
    ["sarif", /"ruleId": "watched-store"/],
    ["junit", /classname="blackout.watched-store"/],
  ])("is reported as %s", (format, says) => {
    const { stdout, stderr } = check(["--format", format]);
    expect(stdout + stderr).toMatch(says);
  });
});

it.each([
  ["nothing.js", "export const other = 1;", /exports no function `engine`/],
  ["broken.ts", "export const engine = (", /cannot be loaded/],
  ["taken.js", 'export const engine = () => ({ name: "inject" });', /There is an engine inject already/],
])("%s is refused in one sentence", (own, text, says) => {
  writeFileSync(join(folder, own), text);
  const { code, stderr } = runBlackout(["check", "--engine", join(folder, own), "--", "/bin/true"], { cwd: folder });
  expect(code).toBe(2);
  expect(stderr).toMatch(says);
});
