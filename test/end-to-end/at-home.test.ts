/** What a newcomer and their tools meet first: version, help, completion, doctor, bundles, colours. */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { commands, nearestCommand } from "../../src/app/commands/commands.ts";
import { terminalWidth, wantsColor } from "../../src/app/commands/terminal.ts";
import { blackoutVersion } from "../../src/base/index.ts";
import { checkGuest } from "../check/guests.ts";
import { inTemporaryDirectory, runBlackout } from "./command.ts";

const root = resolve(import.meta.dirname, "../..");
const stdoutOf = (...words: readonly string[]) => runBlackout(words).stdout;

describe("the command", () => {
  it("tells its version, which is the package's", () => {
    expect(stdoutOf("--version")).toBe(`blackout ${blackoutVersion}\n`);
    expect(JSON.parse(readFileSync(join(root, "package.json"), "utf8")).version).toBe(blackoutVersion);
  });
  it("helps with every command, by groups and with two examples", () => {
    for (const name of ["check", "trace", "run", "replay", "page", "doctor", "completion"]) {
      const help = stdoutOf("help", name);
      expect(help, name).toContain(`Usage: blackout ${name}`);
      expect(help.split("Examples:\n")[1]?.match(/^ {2}\S/gm), name).toHaveLength(2);
    }
    expect(stdoutOf("help", "check")).toMatch(/^The report:$[\s\S]*^ {2}--show/m);
    expect(stdoutOf("help", "litmus")).toContain("usage: blackout litmus");
  });
  it("helps in groups that fit a screen, what matters most first", async () => {
    for (const [name, { line }] of Object.entries(commands)) {
      if (line === undefined) continue;
      const help = stdoutOf("help", name);
      expect(help, name).not.toContain("(default: [])");
      for (const group of help.split("\n\n")) expect(group.split("\n").length, group).toBeLessThanOrEqual(24);
    }
    const brief = stdoutOf("check", "-h");
    expect(stdoutOf("help", "check").startsWith(brief.split("\n\nblackout help")[0]!)).toBe(true);
    expect(brief.match(/^ {2}-/gm)).toHaveLength(10);
    expect(brief).toMatch(/^ {2}--recover <command>[\s\S]*blackout help check shows \d+ more options, in groups\.\n$/m);
  });
  it("has a manual page with every command and option, which roff reads as text", async () => {
    const page = stdoutOf("help", "--man");
    for (const [name, { line }] of Object.entries(commands)) {
      expect(page).toContain(`\n.SS blackout ${name}\n`);
      for (const { flags } of (await line?.())?.options ?? [])
        expect(page, name).toContain(`\n.B ${flags.replaceAll("-", "\\-")}\n`);
    }
    const requests = new Set(page.split("\n").flatMap((text) => /^[.']\w*/.exec(text)?.[0] ?? []));
    expect(requests).toEqual(new Set([".B", ".I", ".PP", ".SH", ".SS", ".TH", ".TP"]));
  });
  it("guesses what was meant", () => {
    expect(nearestCommand("chekc")).toBe("check");
    expect(nearestCommand("traec")).toBe("trace");
    expect(nearestCommand("frobnicate")).toBeUndefined();
    const { code, stderr } = runBlackout(["chekc"]);
    expect([code, stderr]).toEqual([2, 'blackout: there is no command "chekc". Did you mean check?\n']);
    expect(runBlackout(["check", "--recovr", "x", "--", "y"]).stderr).toContain("Did you mean --recover?");
  });
});

describe("completion", () => {
  it("completes commands, options and files in bash", () => {
    inTemporaryDirectory((folder) => {
      const script = join(folder, "completion.bash");
      writeFileSync(script, stdoutOf("completion", "bash"));
      writeFileSync(join(folder, "pool.img"), "");
      const complete = (...words: readonly string[]) => {
        const array = words.map((word) => `'${word}'`).join(" ");
        const text = `source ${script}; COMP_WORDS=(${array}); COMP_CWORD=${words.length - 1}; _blackout; printf '%s\\n' "\${COMPREPLY[@]}"`;
        return execFileSync("bash", ["-c", text], { encoding: "utf8", cwd: folder }).trim().split("\n");
      };
      expect(complete("blackout", "ch")).toEqual(["check"]);
      expect(complete("blackout", "check", "--reco")).toEqual(["--recover"]);
      expect(complete("blackout", "replay", "--du")).toEqual(["--dump"]);
      expect(complete("blackout", "check", "--", "pool")).toEqual(["pool.img"]);
      expect(complete("blackout", "help", "pa")).toEqual(["page"]);
      expect(complete("blackout", "check", "--format", "j")).toEqual(["json", "jsonl", "junit"]);
      expect(complete("blackout", "trace", "--disable", "missing-fl")).toEqual(["missing-flush"]);
      expect(complete("blackout", "explain", "recovery-k")).toEqual(["recovery-killed"]);
      expect(complete("blackout", "completion", "f")).toEqual(["fish"]);
    });
  });
  it("has the options of every command in zsh and fish too", () => {
    for (const shell of ["zsh", "fish"]) {
      const script = stdoutOf("completion", shell);
      for (const option of ["recover", "in-pmemcheck", "dump"]) expect(script, shell).toContain(option);
    }
    expect(runBlackout(["completion", "tcsh"])).toMatchObject({ code: 2 });
  });
});

describe("doctor", () => {
  it("tells which files a program would have in persistent memory", () => {
    inTemporaryDirectory((cwd) => {
      const { code, stdout } = runBlackout(["doctor", "--json", "--", checkGuest("creating", undefined), "a.pool"], {
        cwd,
      });
      const { findings, program } = JSON.parse(stdout);
      expect(code).toBe(0);
      expect(findings.map(({ state }: { state: string }) => state)).not.toContain("bad");
      expect(program).toMatchObject({ files: [{ path: join(cwd, "a.pool") }], endedWell: true, stores: 8 });
      expect(program.placesWithSource).toBe(program.places);
    });
  });
  it("tells what to do where there is none", () => {
    const { code, stdout } = runBlackout(["doctor", "--", "/bin/true"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/FAIL persistent memory: .*\n {7}give it the arguments/);
  });
});

describe("a bundle", () => {
  it("holds all that somebody else needs, and replays", () => {
    inTemporaryDirectory((cwd) => {
      const program = checkGuest("creating", "ORDER");
      const recover = `${program} a.pool check`;
      const checked = runBlackout(
        ["check", "--no-rules", "--bundle", "found", "--recover", recover, "--", program, "a.pool"],
        {
          cwd,
        },
      );
      expect(checked.code).toBe(1);
      const { findings } = JSON.parse(readFileSync(join(cwd, "found/report.json"), "utf8"));
      expect(readFileSync(join(cwd, "found/report.txt"), "utf8")).toContain(findings[0].headline.slice(0, 40));
      expect(Object.keys(JSON.parse(readFileSync(join(cwd, "found/digests.json"), "utf8")))).toContain(program);
      expect(existsSync(join(cwd, "found/crashed/1/files", cwd, "a.pool"))).toBe(true);
      expect(statSync(join(cwd, "found/replay.sh")).mode & 0o111).not.toBe(0);
      expect(findings[0].witness.replay.slice(0, 3)).toEqual(["blackout", "replay", "found"]);
      const again = runBlackout(["replay", "found", "--finding", findings[0].fingerprint], { cwd });
      expect(again.stdout).toMatch(/^witness \d: recovery exits with 8, as recorded\n {2}\| item 0 is missing\n$/);
      expect(again.code).toBe(1);
      expect(runBlackout(["replay", "found", "--finding", "0000000000000000"], { cwd }).code).toBe(2);
    });
  });
  it("that cannot be written leaves the report told", () => {
    inTemporaryDirectory((cwd) => {
      const program = checkGuest("creating", undefined);
      const words = ["check", "--no-rules", "--bundle", "/proc/found", "--recover", `${program} a.pool check`];
      const { code, stderr } = runBlackout([...words, "--", program, "a.pool"], { cwd });
      expect(code).toBe(2);
      expect(stderr).toMatch(/creation-not-atomic[\s\S]*SUMMARY: [\s\S]*\/proc\/found cannot be written/);
    });
  });
});

describe("colour and width", () => {
  it("are a terminal's, unless somebody says otherwise", () => {
    expect(wantsColor("always", false)).toBe(true);
    expect(wantsColor("never", true)).toBe(false);
    expect(wantsColor("auto", false)).toBe(false);
    expect([terminalWidth(undefined), terminalWidth(10), terminalWidth(100), terminalWidth(500)]).toEqual([
      80, 40, 100, 120,
    ]);
  });
  it("of a report in a pipe are plain, also of a hostile guest; --color always paints", () => {
    inTemporaryDirectory((cwd) => {
      const program = checkGuest("creating", undefined);
      const words = (...more: readonly string[]) => [
        "check",
        ...more,
        "--recover",
        `${program} a.pool check`,
        "--",
        program,
        "a.pool",
      ];
      // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
      const control = /\u001b/;
      expect(runBlackout(words("--no-rules"), { cwd }).stderr).not.toMatch(control);
      expect(runBlackout(words("--no-rules", "--color", "always"), { cwd }).stderr).toMatch(control);
    });
  });
});
