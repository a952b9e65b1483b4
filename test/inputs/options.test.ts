/** Values of options that mean nothing are refused with a sentence that names the option: none is taken for something else. */
import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { commands } from "../../src/app/commands/commands.ts";
import { InputError } from "../../src/base/index.ts";
import { blackout, inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout } from "../end-to-end/command.ts";

/** The sentence that a command line is refused with. */
async function refusal([name, ...args]: readonly string[]): Promise<string> {
  const run = await commands[name!]!.load();
  const error = await run(args).then(
    (code) => new Error(`was taken, and ended with ${code}`),
    (thrown: unknown) => thrown,
  );
  expect(error, args.join(" ")).toBeInstanceOf(InputError);
  return (error as InputError).message;
}

const program = ["--", "/bin/true"];

describe("an option that needs something", () => {
  it.each([
    ...["--rw", "--read", "--root", "--env", "--pm-heap"].map((option) => ["run", option] as const),
    ...["--pm", "--report", "--html", "--mine", "--source", "--suppressions", "--rule", "--config"].map(
      (option) => ["trace", option] as const,
    ),
    ...["--setup", "--recover", "--journal", "--witness", "--bundle", "--engine", "--then"].map(
      (option) => ["check", option] as const,
    ),
  ])("blackout %s %s '' is refused", async (command, option) => {
    expect(await refusal([command, option, "", ...program])).toMatch(/./);
    if (option !== "--config") expect(await refusal([command, `${option}=`, ...program])).toMatch(/./);
  });
  it.each([["page", "f.json", "-o", ""] as const, ["replay", "f", "--dump", ""] as const])(
    "blackout %s %s %s '' is refused",
    async (...words) => {
      expect(await refusal(words)).toMatch(/needs <\w+>, and got nothing/);
    },
  );
  it("is refused in a configuration too", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const file = join(cwd, "c.json");
      writeFileSync(file, JSON.stringify({ trace: { report: "" } }));
      expect(await refusal(["trace", "--config", file, ...program])).toBe("--report needs <file>, and got nothing.");
    });
  });
});

it.each([
  [["run", "--seed", "99999999999999999999999", ...program], /--seed takes a number up to 9007199254740991/],
  [["run", "--max-threads", "0", ...program], /--max-threads takes a number from 1 on/],
  [["check", "--expect-exit", "256", ...program], /--expect-exit takes a number up to 255/],
  [["check", "--resume", "--no-journal", ...program], /--resume goes on with what --no-journal keeps none of/],
  [["trace", "--pm", "[z-a]", ...program], /"\[z-a\]" has the range z-a, which ends before it begins/],
  [["trace", "--mine", "[z-a]", ...program], /"\[z-a\]" has the range z-a, which ends before it begins/],
  [["check", "--recover", "/bin/true && echo ok", ...program], /has & outside quotes, and no shell reads it/],
  [["check", "--setup", "/bin/true > x", ...program], /has > outside quotes/],
  [["check", "--recover", "/bin/true 'x", ...program], /a quote that is never closed/],
])("%j is refused", async (words, sentence) => {
  expect(await refusal(words)).toMatch(sentence);
});

describe("files that say what nothing reads", () => {
  it("a configuration with a section of no command", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const file = join(cwd, "c.json");
      writeFileSync(file, JSON.stringify({ trase: {} }));
      expect(await refusal(["trace", "--config", file, ...program])).toMatch(/section "trase", which nothing reads/);
    });
  });
  it("a witness file without witnesses", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const file = join(cwd, "w.json");
      writeFileSync(file, JSON.stringify({ blackoutWitness: 3, witnesses: [] }));
      expect(await refusal(["replay", file])).toMatch(/has no witness/);
    });
  });
  it("a damaged witness is told in a sentence that can be read", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const file = join(cwd, "w.json");
      writeFileSync(file, JSON.stringify({ blackoutWitness: 3, witnesses: "x".repeat(1e6) }));
      expect((await refusal(["replay", file])).length).toBeLessThan(2000);
    });
  });
  it("a report is not replaced by its own page", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const file = join(cwd, "f.json");
      writeFileSync(file, "{}");
      expect(await refusal(["page", file, "-o", join(cwd, ".", "f.json")])).toMatch(/is the report itself/);
      expect(readFileSync(file, "utf8")).toBe("{}");
    });
  });
});

describe("surroundings that give too little", () => {
  // A build would come first where sources are newer.
  beforeAll(() => void runBlackout(["--version"]));
  const inShell = (script: string, cwd: string) => {
    try {
      execFileSync("/bin/bash", ["-c", script, blackout], {
        cwd,
        encoding: "utf8",
        stdio: ["ignore", "ignore", "pipe"],
      });
      return { code: 0, stderr: "" };
    } catch (error) {
      const { status, stderr } = error as { status: number; stderr: string };
      return { code: status, stderr };
    }
  };
  it.each([
    ["files", 'ulimit -n 12; "$0" run -- /bin/true', /^blackout: only 12 files may be open at once/],
    ["addresses for V8", 'ulimit -v 600000; "$0" run -- /bin/true', /^blackout: only 600000 kB of addresses/],
    ["addresses for code", 'ulimit -v 2000000; "$0" run -- /bin/true', /^blackout: The system gives .* addresses/],
    ["addresses for memory", 'ulimit -v 12000000; "$0" run -- /bin/true', /^blackout: The system gives .* addresses/],
  ])("%s: a sentence, and exit code 2", (_what, script, sentence) => {
    inTemporaryDirectory((cwd) => {
      const { code, stderr } = inShell(script, cwd);
      expect(stderr).toMatch(sentence);
      expect(stderr.trim().split("\n")).toHaveLength(1);
      expect(code).toBe(2);
    });
  });
  it("a working directory that is gone, and closed streams: nothing of it is taken for a path", () => {
    inTemporaryDirectory((cwd) => {
      const script = 'mkdir gone; cd gone; rmdir ../gone; "$0" --version >&- 2>&-';
      expect(inShell(script, cwd).code).toBe(0);
    });
  });
  it("a working directory that is gone: a sentence, and exit code 2", () => {
    inTemporaryDirectory((cwd) => {
      mkdirSync(join(cwd, "gone"));
      const { code, stderr } = inShell(
        'cd gone; rmdir ../gone; "$0" run -- /bin/true 2>&1 >&2 | tail -1 >&2; exit ${PIPESTATUS[0]}',
        cwd,
      );
      expect(stderr).toMatch(/blackout: The working directory is gone/);
      expect(code).toBe(2);
      expect(() => rmdirSync(join(cwd, "gone"))).toThrow();
    });
  });
});

it("time ends a doctor's look at a program, and what was seen is told", () => {
  const { code, stdout } = runBlackout(["doctor", "--time", "1s", "--", "/bin/sh", "-c", "while :; do :; done"]);
  expect(stdout).toMatch(/FAIL program: was stopped: its time, 1 s \(--time\), is over/);
  expect(code).toBe(1);
});
