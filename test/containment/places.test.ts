/** What commands write and read where pipes that nobody uses, or links, were planted: a sentence says so, and nobody waits for ever. */
import { execFileSync, spawn } from "node:child_process";
import { linkSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { litmusCommand } from "../../src/app/commands/litmus.ts";
import { pageCommand } from "../../src/app/commands/page.ts";
import { addSuppressions } from "../../src/app/commands/suppression-files.ts";
import { isSameFile, namesIn, openBytes, readText, writeText } from "../../src/host/index.ts";
import { checkGuest } from "../check/guests.ts";
import { inTemporaryDirectory, inTemporaryDirectoryLater, runBlackout } from "../end-to-end/command.ts";

const withPipe = (work: (pipe: string, folder: string) => void) =>
  inTemporaryDirectory((folder) => {
    const pipe = join(folder, "pipe");
    execFileSync("mkfifo", [pipe]);
    work(pipe, folder);
  });

describe("a pipe", () => {
  it("that nobody writes to is not read for ever", () =>
    withPipe((pipe) => {
      expect(() => readText(pipe, "witness")).toThrow(/pipe cannot be read \(nobody writes to this pipe\)/);
      expect(() => openBytes(pipe)).toThrow(/is not a regular file/);
    }));
  it("that nobody reads is not written to for ever", () =>
    withPipe((pipe) => {
      expect(() => writeText(pipe, "report")).toThrow(/pipe cannot be written \(ENXIO\)/);
      const keyOf = () => undefined as never;
      expect(() => addSuppressions(pipe, [], keyOf)).toThrow(/pipe cannot be written \(ENXIO\)/);
    }));
  it("is read to its end, however slowly somebody writes", () =>
    withPipe((pipe) => {
      const script = 'exec > "$0"; sleep 0.3; echo one; sleep 0.3; echo two';
      spawn("/bin/sh", ["-c", script, pipe], { stdio: "ignore" });
      expect(readText(pipe, "witness")).toBe("one\ntwo\n");
    }));
  it("is written to where somebody reads it", () =>
    inTemporaryDirectory((folder) => {
      const script =
        'mkfifo p; cat p > got & sleep 0.2; "$0" trace --allow-empty --report p -- /bin/true; wait; cat got';
      const options = { cwd: folder, encoding: "utf8" } as const;
      expect(execFileSync("/bin/sh", ["-c", script, resolve("blackout")], options)).toMatch(/^SUMMARY/);
    }));
});

describe("a folder of drawings", () => {
  const test = { name: "a/b", locs: { x: 0 }, threads: [["W x 1"]], checks: [{ crash: { x: 1 }, verdict: "ALLOWED" }] };
  async function drawn(plant: (own: string, victim: string) => void): Promise<readonly [code: number, victim: string]> {
    return await inTemporaryDirectoryLater(async (base) => {
      const [own, victim] = [join(base, "own"), join(base, "victim")];
      mkdirSync(own);
      writeFileSync(victim, "precious");
      writeFileSync(join(base, "t.json"), JSON.stringify({ tests: [test] }));
      plant(own, victim);
      const code = await litmusCommand([join(base, "t.json"), "--dot", join(own, "drawings")]);
      return [code, readFileSync(victim, "utf8")] as const;
    });
  }
  it("is written", async () => {
    expect(await drawn(() => undefined)).toEqual([0, "precious"]);
  });
  it("follows no link in it, nor one in its place", async () => {
    const inside = drawn((own, victim) => {
      mkdirSync(join(own, "drawings"));
      symlinkSync(victim, join(own, "drawings/a_b-1.dot"));
    });
    expect(await inside).toEqual([2, "precious"]);
    const instead = drawn((own) => {
      mkdirSync(join(own, "elsewhere"));
      symlinkSync(join(own, "elsewhere"), join(own, "drawings"));
    });
    expect(await instead).toEqual([2, "precious"]);
  });
  it("has files of its own where others have names there", async () => {
    const shared = drawn((own, victim) => {
      mkdirSync(join(own, "drawings"));
      linkSync(victim, join(own, "drawings/a_b-1.dot"));
    });
    expect(await shared).toEqual([0, "precious"]);
  });
});

describe("a name that cannot be looked at", () => {
  it("is no other file's, and is refused where it is written to", async () => {
    await inTemporaryDirectoryLater(async (folder) => {
      const [report, loop] = [join(folder, "report.json"), join(folder, "loop")];
      writeFileSync(report, "{}");
      symlinkSync("loop", loop);
      expect(isSameFile(report, loop)).toBe(false);
      expect(namesIn(loop)).toEqual([]);
      await expect(pageCommand([report, "-o", loop])).rejects.toThrow(/report.json/);
    });
  });
});

describe("a descriptor by its name", () => {
  const inside = ["--report", "--witness", "--suppressions", "--baseline"].map((option) => [option] as const);
  it.each(inside)("that Node has open for itself is refused (%s)", (option) => {
    for (const file of ["/dev/fd/7", "/proc/self/fd/4", "/dev/fd/999"]) {
      const { code, stderr } = runBlackout(["check", option, file, "--no-journal", "--", "/bin/true"]);
      expect(stderr).toContain(`blackout: ${file} is nothing that Blackout was given (EBADF).`);
      expect(code).toBe(2);
    }
  });
  it("that a shell passes on is written to", () =>
    inTemporaryDirectory((folder) => {
      const script = '"$0" trace --allow-empty --report /dev/fd/9 -- /bin/true 9> got; cat got';
      const options = { cwd: folder, encoding: "utf8" } as const;
      expect(execFileSync("/bin/sh", ["-c", script, resolve("blackout")], options)).toMatch(/^SUMMARY/);
    }));
});

it("a pool that becomes a folder on the host while its crashes are judged is told", () =>
  inTemporaryDirectory((cwd) => {
    const program = checkGuest("creating", "ORDER");
    const options = [
      "--no-rules",
      "--no-fix",
      "-j",
      "1",
      "--journal",
      "a.pool",
      "--recover",
      `${program} a.pool check`,
    ];
    const { code, stderr } = runBlackout(["check", ...options, "--", program, "a.pool"], { cwd });
    expect(stderr).toMatch(/blackout: \S*a.pool became no regular file on the host/);
    expect(code).toBe(2);
  }));
