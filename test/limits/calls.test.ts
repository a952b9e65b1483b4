/** One system call does not run for ever, whatever the sizes are that it is about. */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { checkGuest, pool } from "../check/guests.ts";
import { blackout, inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout } from "../end-to-end/command.ts";

const sparse = buildGuest("programs/sparse.c", ["-O1"]);
const said = `grow: done
data from 0: 0, from 1 MiB: ENXIO
hole from 1 MiB: 1048576, behind the end: ENXIO
write at the end: 1
data from 1 MiB: 8796093018112
punch all: done
punch beyond: EFBIG
punch nothing: EINVAL, before the start: EINVAL
page: 0
shrink: done
grow again: done, data: ENXIO
`;

describe("a file of eight terabytes that is nearly all holes is grown, looked through, punched and cut at once", () => {
  it("in memory", () => {
    inTemporaryDirectory((cwd) => {
      expect(runBlackout(["run", "--", sparse, "."], { cwd })).toEqual({ code: 0, stdout: said, stderr: "" });
    });
  });
  it("in a granted directory, where all of it counts as data", () => {
    inTemporaryDirectory((cwd) => {
      const granted = said
        .replace("from 1 MiB: ENXIO", "from 1 MiB: done")
        .replace("hole from 1 MiB: 1048576", "hole from 1 MiB: 8796093022208")
        .replace("data from 1 MiB: 8796093018112", "data from 1 MiB: 1048576");
      const options = ["--rw", ".", "--max-file-bytes", "9000Gi"];
      const ended = runBlackout(["run", ...options, "--", sparse, "."], { cwd });
      expect(ended).toEqual({ code: 0, stdout: granted, stderr: "" });
    });
  });
});

describe("what is larger than anybody means", () => {
  it.each([
    ["replay", ["replay", "huge"]],
    ["litmus", ["litmus", "huge"]],
    ["a log of pmemcheck", ["trace", "--in-pmemcheck", "huge"]],
    ["a report", ["page", "huge"]],
  ])("is refused in one sentence: %s", (_what, command) => {
    inTemporaryDirectory((cwd) => {
      writeFileSync(join(cwd, "huge"), "");
      truncateSync(join(cwd, "huge"), 1e13);
      const { code, stderr } = runBlackout(command, { cwd });
      expect(stderr).toMatch(
        /^blackout( litmus)?: huge has more than \d+ bytes, the most that is read of such a file\.\n$/,
      );
      expect(code).toBe(2);
    });
  });

  it.each([
    ["deeply nested", "[".repeat(200_000)],
    ["closed again", `${"[".repeat(100_000)}${"]".repeat(100_000)}`],
    [
      "with many threads",
      JSON.stringify([{ name: "wide", locs: { x: 0 }, threads: Array(50_000).fill(["W x 1"]), checks: [] }]),
    ],
    [
      "with many locations",
      JSON.stringify([
        {
          name: "wide",
          locs: Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`x${i}`, i])),
          threads: [["W x1 1"]],
          checks: [],
        },
      ]),
    ],
  ])("a litmus test %s is refused or stopped at a limit", (_what, text) => {
    inTemporaryDirectory((cwd) => {
      writeFileSync(join(cwd, "wide.json"), text);
      const { code, stderr } = runBlackout(["litmus", "wide.json"], { cwd });
      expect(stderr).not.toMatch(/invariant|unexpected error/);
      expect([2, 3]).toContain(code);
    });
  });
});

describe("standard input", () => {
  it("is not kept by a program that copies it", () => {
    inTemporaryDirectory((cwd) => {
      const line = 'head -c 500000000 /dev/zero | "$0" run --max-host-memory 300M -- /usr/bin/wc -c';
      expect(execFileSync("/bin/sh", ["-c", line, blackout], { cwd, encoding: "utf8" })).toBe("500000000\n");
    });
  });
});

describe("-j 1000", () => {
  it("starts no more threads than there is work and are cores for", async () => {
    await inTemporaryDirectoryLater(async (cwd) => {
      const args = ["check", "--no-journal", "--no-memo", "-j", "1000", "--", checkGuest("list", "LOST_ACK"), pool];
      const child = spawn(blackout, args, { cwd, stdio: "ignore" });
      let most = 0;
      let over = false;
      const ended = once(child, "close").then(() => {
        over = true;
      });
      while (!over) {
        const status = read(`/proc/${child.pid}/status`);
        most = Math.max(most, Number(/^Threads:\s*(\d+)/m.exec(status)?.[1] ?? 0));
        await sleep(2);
      }
      await ended;
      expect(most).toBeGreaterThan(1);
      expect(most).toBeLessThan(80);
    });
  });
});

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
