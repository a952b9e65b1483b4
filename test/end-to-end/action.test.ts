/** The GitHub action, run step by step as far as no network and no GitHub allow: its scripts, with their variables. */
import { execFileSync, spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { sarifComplaints } from "../report/sarif-schema.ts";
import { blackout, inTemporaryDirectory } from "./command.ts";

const root = resolve(import.meta.dirname, "../..");
const action = readFileSync(join(root, "action.yml"), "utf8");

interface Step {
  readonly name?: string;
  readonly uses?: string;
  readonly run?: string;
  /** Variables, by the inputs that they are. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** As much of YAML as the action has. */
function stepsOf(text: string): readonly Step[] {
  const [, steps] = text.split(/^ {2}steps:\n/m);
  return steps!
    .split(/^ {4}- /m)
    .slice(1)
    .map((step) => {
      const field = (name: string) => new RegExp(`^(?: {6})?${name}: (.*)$`, "m").exec(step)?.[1];
      const run = /^ {6}run: \|\n((?: {8}.*\n|\n)*)/m.exec(step)?.[1]?.replaceAll(/^ {8}/gm, "");
      const inputs = [...step.matchAll(/^ {8}(\w+): \$\{\{ inputs\.([\w-]+) \}\}$/gm)].map(([, to, from]) => [
        to!,
        from!,
      ]);
      const [name, uses] = [field("name"), field("uses")];
      return { ...(name && { name }), ...(uses && { uses }), ...(run && { run }), inputs: Object.fromEntries(inputs) };
    });
}

const steps = stepsOf(action);
const defaults = Object.fromEntries(
  [
    ...action.matchAll(
      /^ {2}([\w-]+):\n {4}description: .*\n(?: {4}required: .*\n)?(?: {4}default: "?([^"\n]*)"?\n)?/gm,
    ),
  ].map(([, name, value = ""]) => [name!, value]),
);

/** A step's script, in a job's folder, with the inputs of the workflow. */
function runStep(name: string, cwd: string, given: Readonly<Record<string, string>>) {
  const step = steps.find((each) => each.name === name)!;
  const inputs: Readonly<Record<string, string>> = { ...defaults, ...given };
  const variables = Object.entries(step.inputs).map(([to, from]) => [to, inputs[from] ?? ""]);
  const output = join(cwd, "output");
  writeFileSync(output, "");
  const bin = join(cwd, "bin");
  if (!existsSync(bin)) {
    mkdirSync(bin);
    symlinkSync(blackout, join(bin, "blackout"));
  }
  const env = {
    ...process.env,
    ...Object.fromEntries(variables),
    GITHUB_OUTPUT: output,
    PATH: `${bin}:${process.env.PATH}`,
  };
  // As GitHub runs a step whose shell is bash.
  const { status } = spawnSync("bash", ["--noprofile", "--norc", "-eo", "pipefail", "-c", step.run!], { cwd, env });
  return { status, output: readFileSync(output, "utf8") };
}

describe("the action", () => {
  it("has its steps, and gives inputs to scripts as variables alone", () => {
    expect(steps.map(({ name, uses }) => name ?? uses!.split("@")[0])).toEqual([
      "actions/setup-node",
      "install",
      "check",
      "github/codeql-action/upload-sarif",
      "actions/upload-artifact",
    ]);
    for (const { run = "" } of steps) expect(run).not.toContain("${{");
    expect(steps[1]!.run).toContain('make -C "$GITHUB_ACTION_PATH" install PREFIX=');
    expect(defaults).toMatchObject({ time: "10m", upload: "true", baseline: "" });
  });
  it("fails on a mistake, passes what the baseline knows, and leaves what the other steps upload", () => {
    inTemporaryDirectory((cwd) => {
      copyFileSync(join(root, "examples/first/slot.c"), join(cwd, "slot.c"));
      execFileSync("gcc", ["-g", "-O1", "-o", "slot", "slot.c"], { cwd });
      const inputs = {
        program: "./slot pool",
        recover: "./slot pool check",
        options: "--no-explore --save-baseline base.json",
      };
      expect(runStep("check", cwd, inputs)).toEqual({ status: 1, output: "exit-code=1\n" });
      const left = (name: string) => readFileSync(join(cwd, "blackout-report", name), "utf8");
      expect(sarifComplaints(left("blackout.sarif"))).toEqual([]);
      expect(left("blackout.html")).toContain("recovery-fails");
      expect(left("found/replay.sh")).toContain("blackout");
      const known = { ...inputs, options: "--no-explore", baseline: "base.json" };
      expect(runStep("check", cwd, known)).toEqual({ status: 0, output: "exit-code=0\n" });
      // Nothing of an input is run as a script.
      const hostile = { ...inputs, recover: "./slot pool check; touch owned", program: "$(touch owned)" };
      expect(runStep("check", cwd, hostile).status).toBe(2);
      expect(existsSync(join(cwd, "owned"))).toBe(false);
    });
  });
});
