/**
 * Every command of the tutorial's pages is run, and prints what the page says; and the workflow of docs/ci.md is run step by step as
 * far as no network allows. In outputs, "..." stands for anything within a line, and alone for any lines.
 */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { sarifComplaints } from "../report/sarif-schema.ts";

const root = resolve(import.meta.dirname, "../..");
const examples = join(root, "examples/first");
const folder = mkdtempSync(join(tmpdir(), "blackout-tutorial-"));
afterAll(() => rmSync(folder, { recursive: true }));

interface Step {
  readonly command: string;
  readonly output: readonly string[];
}

/** The steps of all console blocks of a page, in order. */
function stepsOf(page: string): readonly Step[] {
  const blocks = [...page.matchAll(/^```console\n([\s\S]*?)^```$/gm)].map(([, text]) => text!);
  return blocks.flatMap((block) =>
    block
      .split(/^\$ /m)
      .slice(1)
      .map((text) => {
        const [command, ...output] = text.trimEnd().split("\n");
        return { command: command!, output };
      }),
  );
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const lineOf = (line: string) => (line === "..." ? "[\\s\\S]*?" : `${escaped(line).replaceAll("\\.\\.\\.", ".*")}\n`);
const patternOf = (output: readonly string[]) => new RegExp(`^${output.map(lineOf).join("")}$`);

function shell(command: string, cwd: string) {
  const bin = join(folder, "bin");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(join(root, "blackout"), join(bin, "blackout"));
  }
  const env = { ...process.env, PATH: `${bin}:${process.env.PATH}`, BLACKOUT_CACHE: join(folder, "cache") };
  const words = ["-c", `${command.replace("EXAMPLES", examples)} 2>&1`];
  const { stdout, status } = spawnSync("bash", words, { cwd, env, encoding: "utf8" });
  return { code: status, output: stdout };
}

const has = (program: string) => spawnSync("which", [program]).status === 0;

describe.each([
  ["first-ten-minutes", 9],
  ["reading-a-finding", 2],
])("the page %s", (name, least) => {
  const steps = stepsOf(readFileSync(join(root, `docs/${name}.md`), "utf8"));
  const cwd = join(folder, name);
  mkdirSync(cwd);
  it("has commands", () => expect(steps.length).toBeGreaterThanOrEqual(least));
  it.each(steps)("$command", ({ command, output }) => {
    // Left out where there is no Rust, as the page's reader would.
    if (/rustc|slot-rs/.test(command) && !has("rustc")) return;
    expect(shell(command, cwd).output).toMatch(patternOf(output));
  });
});

describe("the workflow", () => {
  const yaml = /^```yaml\n([\s\S]*?)^```$/m.exec(readFileSync(join(root, "docs/ci.md"), "utf8"))![1]!;
  const runs = [...yaml.matchAll(/^ +- run: (.*)$/gm)]
    .map(([, line]) => line!)
    .filter((line) => !line.startsWith("npm "));
  it("fails rightly on the example, and leaves what the other steps upload", () => {
    const cwd = join(folder, "ci");
    cpSync(examples, cwd, { recursive: true });
    const codes = runs.map((command) => shell(command, cwd).code);
    expect(codes).toEqual([0, 1]);
    const sarif = readFileSync(join(cwd, "blackout.sarif"), "utf8");
    expect(sarifComplaints(sarif)).toEqual([]);
    const [result] = JSON.parse(sarif).runs[0].results;
    expect(result.locations[0].physicalLocation.artifactLocation).toEqual({ uri: "slot.c", uriBaseId: "%SRCROOT%" });
    expect(result.partialFingerprints.primaryLocationLineHash).toMatch(/^[0-9a-f]+:1$/);
    expect(existsSync(join(cwd, "blackout-found/replay.sh"))).toBe(true);
    for (const path of ["sarif_file: blackout.sarif", "path: blackout-found"]) expect(yaml).toContain(path);
  });
});
