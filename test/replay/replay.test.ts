/** `blackout replay` gives one of three answers, names what differs from what was recorded, and refuses another program. */
import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { readWitnesses } from "../../src/crash/states/index.ts";
import { runBlackout } from "../end-to-end/command.ts";
import { buildLedger, buildLibrary, checkArgs, makeLedger, setRules } from "./ledger.ts";

const cwd = mkdtempSync(join(tmpdir(), "blackout-replay-"));
const built = ["ledger", "recovery", "libverdict.so", "rules"];
afterAll(() => rmSync(cwd, { recursive: true, force: true }));

beforeAll(() => {
  makeLedger(cwd);
  expect(runBlackout(checkArgs("--witness", "witness.json"), { cwd }).code).toBe(1);
  for (const name of built) copyFileSync(join(cwd, name), join(cwd, `${name}.kept`));
});
beforeEach(() => {
  for (const name of built) copyFileSync(join(cwd, `${name}.kept`), join(cwd, name));
});

const witness = join(cwd, "witness.json");
const replay = (...args: readonly string[]) => runBlackout(["replay", ...args, witness], { cwd });

describe("the answer", () => {
  it("is as recorded where nothing changed, from any directory and environment", () => {
    const said = {
      code: 1,
      stdout: [
        "witness 1: recovery exits with 5, as recorded",
        "  | the ledger is torn",
        "witness 2: recovery exits with 9, as recorded",
        "  | the ledger is torn",
        "",
      ].join("\n"),
      stderr: "",
    };
    expect(replay()).toEqual(said);
    expect(runBlackout(["replay", witness], { cwd: "/", environment: { LANG: "de_DE", NAME: "x" } })).toEqual(said);
  });

  it("is of one crash only when one is asked for", () => {
    expect(replay("--only", "2").stdout).toBe(
      "witness 2: recovery exits with 9, as recorded\n  | the ledger is torn\n",
    );
    expect(replay("--only", "3")).toMatchObject({
      code: 2,
      stderr: "blackout: There is no witness 3: the file has 2.\n",
    });
  });

  it.each([
    ["the message", () => setRules(cwd, "the ledger is a mess"), "rules", "exits with 5"],
    [
      "the exit code, by a library that was patched in place",
      () => buildLibrary(cwd, 6),
      "libverdict.so",
      "exits with 6",
    ],
    ["the exit code, by another recovery", () => buildLedger(cwd, "recovery", 1), "recovery", "exits with 6"],
  ])("is that it fails otherwise when it is not the same: %s", (_what, change, file, ends) => {
    change();
    const { code, stdout } = replay("--only", "1");
    expect(stdout).toContain(`witness 1: ${join(cwd, file)} has changed since.\n`);
    expect(stdout).toContain(`witness 1: recovery ${ends}: it failed otherwise when it was recorded\n`);
    expect(code).toBe(1);
  });

  it("is that it is cured when recovery ends well, with what differs", () => {
    setRules(cwd, "forgive");
    const gone = (number: number) =>
      `witness ${number}: ${join(cwd, "rules")} has changed since.\nwitness ${number}: recovery exits with 0: the failure is gone\n`;
    expect(replay()).toEqual({ code: 0, stdout: gone(1) + gone(2), stderr: "" });
  });

  it("names a file that is gone", () => {
    rmSync(join(cwd, "rules"));
    const { code, stdout } = replay("--only", "1");
    expect(stdout).toContain(`${join(cwd, "rules")} is gone since it was recorded.`);
    expect(stdout).toContain("recovery exits with 99: it failed otherwise");
    expect(code).toBe(1);
  });

  it("is none for another traced program", () => {
    buildLedger(cwd, "ledger", 1);
    expect(replay()).toEqual({
      code: 2,
      stdout: "",
      stderr: `blackout: ${join(cwd, "ledger")} is another program than the one that was recorded: run check again.\n`,
    });
  });

  it("is none where the program is not there at all", () => {
    renameSync(join(cwd, "ledger"), join(cwd, "elsewhere"));
    expect(replay()).toMatchObject({ code: 2 });
  });
});

it("a witness holds what its run depended on", () => {
  const [recorded] = JSON.parse(readFileSync(witness, "utf8")).witnesses;
  const files = Object.keys(recorded.files);
  for (const name of built) expect(files).toContain(join(cwd, name));
  expect(files.some((path) => /libc\.so/.test(path))).toBe(true);
  expect(files).not.toContain(join(cwd, "pool"));
  expect(recorded).toMatchObject({
    blackout: expect.any(String),
    input: "",
    subject: { directory: cwd, env: [], seed: 0, limits: {}, program: ["./ledger", "write", "pool"] },
    judging: { oracle: "exit", platform: "px86" },
  });
});

it("a witness without a crash is damaged", () => {
  const text = readFileSync(witness, "utf8").replace(/"crash:\d+[^"]*"/, '""');
  expect(() => readWitnesses("w", text)).toThrow(
    "w is damaged: witnesses.0.choices: there is no crash among the choices",
  );
});

describe("by output", () => {
  it("what is printed is right, as recorded, or wrong otherwise", () => {
    const text = JSON.parse(readFileSync(witness, "utf8"));
    const [first] = text.witnesses;
    const file = join(cwd, "output.json");
    const answer = (printed: { readonly stdout: string; readonly right: readonly string[] }) => {
      const expected = { verdict: { kind: "exit", code: 0 }, said: "", printed };
      writeFileSync(file, JSON.stringify({ ...text, witnesses: [{ ...first, expected }] }));
      return runBlackout(["replay", file], { cwd });
    };
    // Recovery ends well and prints nothing here.
    setRules(cwd, "forgive");
    expect(answer({ stdout: "1", right: ["", "2"] })).toMatchObject({ code: 0 });
    const same = answer({ stdout: "", right: ["1", "2"] });
    expect(same.stdout).toContain("as recorded");
    expect(same.code).toBe(1);
    const other = answer({ stdout: "1", right: ["2"] });
    expect(other.stdout).toContain("it failed otherwise");
    expect(other.code).toBe(1);
  });
});

describe("--dump", () => {
  it("keeps the tree, what was acknowledged and where files were mapped, and opens natively", () => {
    const folder = join(cwd, "dump");
    expect(replay("--dump", folder).code).toBe(1);
    const pool = readFileSync(join(folder, "2/files", cwd, "pool"));
    expect([0, 64, 128, 192].map((at) => pool[at])).toEqual([1, 1, 0, 1]);
    expect(readFileSync(join(folder, "1/acknowledged"), "utf8")).toBe("");
    expect(readFileSync(join(folder, "2/acknowledged"), "utf8")).toBe("first\n");
    const script = readFileSync(join(folder, "2/open.sh"), "utf8");
    expect(script).toMatch(new RegExp(`#   0x[0-9a-f]+ to 0x[0-9a-f]+: ${join(cwd, "pool")} from 0x0`));
    for (const [number, code] of [
      ["1", 5],
      ["2", 9],
    ] as const) {
      copyFileSync(join(cwd, "rules"), join(folder, number, "files", cwd, "rules"));
      const { status, stderr } = spawnSync("sh", [join(folder, number, "open.sh")], { encoding: "utf8", cwd: "/" });
      expect(stderr).toBe("the ledger is torn\n");
      expect(status).toBe(code);
    }
  });

  it("has a pool that was there before the program as well, and no name gets out of its quotes", () => {
    const name = "it's $(touch owned) `x`";
    const before = new Uint8Array(4096).fill(7, 300);
    writeFileSync(join(cwd, name), before);
    const recover = `./recovery check "${name}"`;
    const args = [
      "check",
      "--no-rules",
      "--witness",
      "named.json",
      "--recover",
      recover,
      "--",
      "./ledger",
      "write",
      name,
    ];
    expect(runBlackout(args, { cwd }).code).toBe(1);
    expect(runBlackout(["replay", "--only", "1", "--dump", "named", "named.json"], { cwd }).code).toBe(1);
    const dumped = join(cwd, "named/1/files", cwd);
    const pool = readFileSync(join(dumped, name));
    expect([pool[0], pool[64], pool[300]]).toEqual([0, 1, 7]);
    copyFileSync(join(cwd, "rules"), join(dumped, "rules"));
    const { status, stderr } = spawnSync("sh", [join(cwd, "named/1/open.sh")], { encoding: "utf8", cwd: "/" });
    expect(stderr).toBe("the ledger is torn\n");
    expect(status).toBe(5);
    expect(new Uint8Array(readFileSync(join(cwd, name)))).toEqual(before);
  });
});
