/** Every command ends: with its time, its memory or its input at a limit it says so, and the exit code is 3 or 2. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { blackout, inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout } from "../end-to-end/command.ts";

const endless = buildGuest("programs/endless.c", ["-O1"]);
const splits = buildGuest("programs/splits.c", ["-O1"]);

describe("--time", () => {
  it.each([
    ["run", []],
    ["trace", []],
    ["check", ["--no-journal"]],
    ["explore", ["--no-journal"]],
    ["represent", ["--no-journal"]],
    ["robust", ["--no-journal"]],
    ["fix", []],
    ["symbolic", ["--sym-arg", "1"]],
  ])("ends %s while the program runs", (command, options) => {
    inTemporaryDirectory((cwd) => {
      const { code, stderr } = runBlackout([command, "--time", "1s", ...options, "--", endless, "spin"], { cwd });
      expect(code).toBe(3);
      expect(stderr).toMatch(/its time, 1 s \(--time\), is over/);
    });
  });

  it.each(["1", "2"])("ends a recovery that does not end, with %s workers", (jobs) => {
    inTemporaryDirectory((cwd) => {
      const limits = ["--time", "4s", "-j", jobs, "--all-points", "--no-journal", "--hang-limit", "100G"];
      const recover = ["--recover", `${endless} recover`];
      const { code, stderr } = runBlackout(["check", ...limits, ...recover, "--", endless, "write"], { cwd });
      expect(code).toBe(3);
      expect(stderr).toMatch(/stopped by --time: \d+ of \d+ failure points/);
      expect(stderr).not.toMatch(/ERROR/);
    });
  });
});

describe("--max-host-memory", () => {
  it.each(["run", "trace"])("ends %s with a sentence", (command) => {
    inTemporaryDirectory((cwd) => {
      const { code, stderr } = runBlackout([command, "--max-host-memory", "400M", "--", endless, "eat"], { cwd });
      expect(code).toBe(3);
      expect(stderr).toMatch(/holds more than its limit of 400000000 bytes of memory; raise it with --max-host-memory/);
    });
  });

  it("is not spent on debug information that claims to be huge", () => {
    inTemporaryDirectory((cwd) => {
      const source = readFileSync(join(import.meta.dirname, "../../guests/programs/endless.c"));
      writeFileSync(join(cwd, "a.c"), source);
      execFileSync("gcc", ["-g", "-o", "plain", "a.c"], { cwd });
      execFileSync("truncate", ["-s", "64M", "zeros"], { cwd });
      execFileSync("objcopy", ["--update-section", ".debug_str=zeros", "plain", "large"], { cwd });
      execFileSync("objcopy", ["--compress-debug-sections=zlib", "large", "packed"], { cwd });
      const report = (name: string) =>
        runBlackout(["trace", "--format", "json", "--", `./${name}`, "wait"], { cwd }).stdout;
      expect(statSync(join(cwd, "packed")).size).toBeLessThan(1e6);
      expect(report("plain")).toContain('"file"');
      expect(report("packed")).not.toContain("a.c");
    });
  });
});

describe("mappings", () => {
  it("are as many as Linux has, and no more", () => {
    const { stdout } = runBlackout(["run", "--", splits, "private", "40000"]);
    expect(stdout).toBe(execFileSync(splits, ["private", "40000"], { encoding: "utf8" }));
    expect(stdout).toMatch(/^33 thousand splits, ENOMEM\n/);
  });
  it("of a shared file can be cut and dropped one by one", () => {
    inTemporaryDirectory((cwd) => {
      expect(runBlackout(["run", "--", splits, "shared", "10000"], { cwd }).stdout).toBe(
        "10 thousand splits, all done\n10000 holes\n",
      );
    });
  });
});

describe("what reaches the host when the user does not wait", () => {
  it.each([
    ["spin", "SIGINT"],
    ["spin", "SIGTERM"],
    ["wait", "SIGINT"],
  ] as const)("is all that was stored (%s, %s)", async (how, signal) => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const child = spawn(blackout, ["run", "--rw", ".", "--", endless, how], {
        cwd,
        stdio: ["pipe", "ignore", "pipe"],
      });
      const pool = join(cwd, "pool");
      // The program makes its pool long before it waits or has run for a while.
      while (!existsSync(pool)) await sleep(50);
      await sleep(1500);
      child.kill(signal);
      await once(child, "close");
      expect(readFileSync(pool, "latin1")[0]).toBe("x");
    });
  });
});

describe("standard input", () => {
  it("that is a directory is told in one sentence", () => {
    const { code, stderr } = runBlackoutFrom("/", ["run", "--", "/bin/cat"]);
    expect(code).toBe(2);
    expect(stderr).toBe("blackout: standard input cannot be read (EISDIR).\n");
  });
});

/** With a file or a directory as standard input. */
function runBlackoutFrom(input: string, args: readonly string[]) {
  const command = `exec "$0" "$@" < ${JSON.stringify(input)} 2>&1 > /dev/null`;
  try {
    return { code: 0, stderr: execFileSync("/bin/sh", ["-c", command, blackout, ...args], { encoding: "utf8" }) };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: string };
    return { code: status, stderr: stdout };
  }
}
