/** A journal is taken up only by the check that it is of, and says nothing twice. */
import { appendFileSync, copyFileSync, cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { crc32 } from "../../src/trace/events/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { buildLedger, buildLibrary, checkArgs, makeLedger, setRules } from "../replay/ledger.ts";

const cwd = mkdtempSync(join(tmpdir(), "blackout-resume-"));
const built = ["ledger", "recovery", "libverdict.so", "rules"];
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

const environment = { NAME: "before" };
const options = ["--journal", "kept", "--env", "NAME", "--format", "json", "--report", "report.json", "--no-memo"];
const check = (more: readonly string[], name = "before") =>
  runBlackout(checkArgs(...options, ...more), { cwd, environment: { ...environment, NAME: name } });
const report = () => readFileSync(join(cwd, "report.json"), "utf8");
let undisturbed = "";

beforeAll(() => {
  makeLedger(cwd);
  for (const name of built) copyFileSync(join(cwd, name), join(cwd, `${name}.kept`));
  expect(check([]).code).toBe(1);
  undisturbed = report();
  check(["--max-states", "5"]);
  cpSync(join(cwd, "kept"), join(cwd, "half"), { recursive: true });
});
beforeEach(() => {
  for (const name of built) copyFileSync(join(cwd, `${name}.kept`), join(cwd, name));
  rmSync(join(cwd, "kept"), { recursive: true, force: true });
  cpSync(join(cwd, "half"), join(cwd, "kept"), { recursive: true });
});

const journal = join(cwd, "kept/journal");
const lines = () => readFileSync(journal, "utf8").split("\n").slice(0, -1);

describe("lines", () => {
  it("that come twice count once", () => {
    const entries = lines().slice(1);
    expect(entries.length).toBeGreaterThan(0);
    appendFileSync(journal, entries.map((line) => `${line}\n`).join(""));
    expect(check(["--resume"]).code).toBe(1);
    expect(report()).toBe(undisturbed);
  });
  it("that are missing, in another order, or cut off are judged again", () => {
    const [head, ...entries] = lines();
    writeFileSync(journal, `${[head, ...entries.reverse().slice(1)].join("\n")}\n0123`);
    expect(check(["--resume"]).code).toBe(1);
    expect(report()).toBe(undisturbed);
  });
});

describe("lines with the right checksum that no check writes", () => {
  const forged = (line: string, change: (line: string) => string) => {
    const json = change(line.slice(9));
    return `${(crc32(new TextEncoder().encode(json)) >>> 0).toString(16).padStart(8, "0")} ${json}`;
  };
  it.each([
    ["an identity that is none", () => '{"version":3,"identity":{"program":[]}}', "starts anew"],
    ["a version that is none", (json: string) => json.replace(/"version":\d+/, '"version":"3"'), "starts anew"],
  ])("%s", (_what, change, says) => {
    const [head, ...entries] = lines();
    writeFileSync(journal, `${[forged(head!, change), ...entries].join("\n")}\n`);
    const { code, stderr } = check(["--resume"]);
    expect(stderr).toContain(says);
    expect(code).toBe(1);
    expect(report()).toBe(undisturbed);
  });
  it("groups that are no list", () => {
    const [head, first, ...entries] = lines();
    const groupless = forged(first!, (json) => json.replace(/"groups":\[/, '"groups":5,"lost":['));
    writeFileSync(journal, `${[head, groupless, ...entries].join("\n")}\n`);
    const { code, stderr } = check(["--resume"]);
    expect(stderr).toContain("it has results that no check writes. Run without --resume to start anew.");
    expect(code).toBe(2);
  });
});

describe("another check", () => {
  it.each([
    ["a library patched in place", () => buildLibrary(cwd, 6), "a library or another file"],
    ["a file that recovery reads", () => setRules(cwd, "the ledger is a mess"), "a library or another file"],
    ["a recovery built anew", () => buildLedger(cwd, "recovery", 1), "the program or its recovery was built anew"],
  ])("is one with %s", (_what, change, says) => {
    change();
    const { code, stderr } = check(["--resume"]);
    expect(stderr).toContain(`The journal in kept cannot be taken up again: ${says}`);
    expect(code).toBe(2);
    expect(lines().length).toBeGreaterThan(1);
  });
  it("is one with another value of a variable that is passed", () => {
    const { code, stderr } = check(["--resume"], "after");
    expect(stderr).toContain("The journal in kept cannot be taken up again: the options are not the same");
    expect(code).toBe(2);
  });
  it("is none with the same", () => {
    expect(check(["--resume"]).code).toBe(1);
    expect(report()).toBe(undisturbed);
  });
});
