/** Where something cannot be read or written, a sentence says so, and the exit code is 2: never 70, never "findings". */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { writeWhole } from "../../src/host/index.ts";
import { buildGuest } from "../../tools/guests/build.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { blackout } from "../end-to-end/command.ts";

const endless = buildGuest("programs/endless.c", ["-O1"]);
const list = checkGuest("list", "LOST_ACK");
const folder = mkdtempSync(join(tmpdir(), "blackout-full-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A command line of the shell, in which $b is the command and $p a program that ends. */
function shell(line: string): { readonly code: number | null; readonly stderr: string } {
  const env = { ...process.env, b: blackout, p: endless };
  const { status, stderr } = spawnSync("/bin/sh", ["-c", line], {
    cwd: folder,
    encoding: "utf8",
    env,
    timeout: 120_000,
  });
  return { code: status, stderr };
}

describe("a full disk", () => {
  it.each([
    ["the report", "$b trace --report /dev/full -- $p write", /^blackout: \/dev\/full cannot be written \(ENOSPC\)/m],
    [
      "standard output",
      "$b trace --format json -- $p write > /dev/full",
      /standard output cannot be written \(ENOSPC\)/,
    ],
    ["a recorded trace", "$b trace --out /dev/full -- $p write", /\/dev\/full cannot be written \(ENOSPC\)/],
    ["a witness", "$b check --no-journal --witness /dev/full -- $p write", /\/dev\/full cannot be written \(ENOSPC\)/],
    ["the program's output", "$b run -- /bin/echo hi > /dev/full", /standard output cannot be written \(ENOSPC\)/],
    ["litmus results", "$b litmus missing.json > /dev/full", /missing.json cannot be read \(ENOENT\)/],
    ["help", "$b check --help > /dev/full", /standard output cannot be written \(ENOSPC\)/],
    ["standard error", "$b check --no-journal -- $p write 2> /dev/full", /^$/],
  ])("under %s", (_what, line, says) => {
    const { code, stderr } = shell(line);
    expect(stderr).toMatch(says);
    expect(code).toBe(2);
  });

  it.each(["", "--resume"])("under the journal ends neither the check nor its findings (%s)", (resume) => {
    // A process that may write no more than four kilobytes to a file, and is not killed for trying.
    const options = `--no-rules --journal j --no-memo --granularity store --all-points -j 1 ${resume}`;
    const { code, stderr } = shell(`trap "" XFSZ; ulimit -f 8; $b check ${options} -- ${list} ${pool}`);
    expect(stderr).toMatch(/The journal in j cannot be written \((ENOSPC|EFBIG)\).* This check goes on without one\./);
    expect(stderr).toMatch(/all judged/);
    expect(code).toBe(1);
    expect(existsSync(join(folder, "j"))).toBe(false);
  });

  it("leaves the file that was there", () => {
    writeFileSync(join(folder, "old"), "old");
    expect(() => writeWhole(join(folder, "missing/new"), "new")).toThrow(/cannot be written \(ENOENT\)/);
    writeWhole(join(folder, "old"), "new");
    expect(readFileSync(join(folder, "old"), "utf8")).toBe("new");
    expect(readdirSync(folder).filter((name) => name.endsWith(".partial"))).toEqual([]);
  });
});

describe("files that are something else", () => {
  it("a journal that is a directory or a pipe", () => {
    mkdirSync(join(folder, "d/journal"), { recursive: true });
    mkdirSync(join(folder, "f"));
    execFileSync("mkfifo", [join(folder, "f/journal")]);
    for (const line of ["--journal d", "--journal d --resume", "--journal f --resume"]) {
      const { code, stderr } = shell(`$b check ${line} -- $p write`);
      expect(stderr, line).toMatch(/The journal in \w cannot be (read|written)/);
      expect(code, line).toBe(2);
    }
  });

  it("a pipe in the cache, an endless file, a program of 5 GB", () => {
    writeFileSync(join(folder, "big"), readFileSync(endless), { mode: 0o755 });
    execFileSync("truncate", ["-s", "5G", join(folder, "big")]);
    for (const [line, says] of [
      ["$b replay /dev/zero", /has more than \d+ bytes/],
      ["$b litmus /dev/zero", /has more than \d+ bytes/],
      ["$b trace --in /dev/zero", /is not a regular file/],
      ["$b run -- ./big write", /is too large/],
    ] as const) {
      const { code, stderr } = shell(line);
      expect(stderr, line).toMatch(says);
      expect(code, line).toBe(2);
    }
    const cache = join(folder, "cache");
    shell(`BLACKOUT_CACHE=${cache} $b run -- $p write`);
    for (const name of readdirSync(cache)) {
      rmSync(join(cache, name));
      execFileSync("mkfifo", [join(cache, name)]);
    }
    expect(shell(`BLACKOUT_CACHE=${cache} $b run -- $p write`).code).toBe(0);
  });
});
