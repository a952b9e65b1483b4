/** `blackout fix` as its user meets it: a patch, the files changed and built again, and what it refuses to touch. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "blackout-fix-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** A counter and its double, in two lines: the double must be there before the counter says so. */
const source = `#include <fcntl.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>
#define flush(p) __asm__ volatile("clflushopt %0" : "+m"(*(volatile char *)(p)))
#define fence() __asm__ volatile("sfence" ::: "memory")
struct pair { uint64_t count, pad[7], twice; };
static void persist(const void *p, uint64_t n) {
  for (uint64_t at = 0; at < n; at += 64) flush((const char *)p + at);
  fence();
}
int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (fd < 0 || ftruncate(fd, 4096) != 0) return 2;
  struct pair *pair = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) return pair->twice < 2 * pair->count;
  for (int i = 0; i < 2; i++) {
    if (pair->twice < 100)
      pair->twice += 2;
    pair->count++;
    persist(&pair->count, sizeof pair->count);
  }
  return 0;
}
`;
const build = "gcc -g -O1 -static -o twice twice.c";
const file = join(folder, "twice.c");

/** Built once, and again where a test has changed the source. */
beforeEach(() => {
  const isBuilt = existsSync(file) && readFileSync(file, "utf8") === source;
  if (!isBuilt) {
    writeFileSync(file, source);
    execFileSync("sh", ["-c", build], { cwd: folder });
  }
  // Older than the program, whoever has written it since.
  utimesSync(file, 1, 1);
});

const launcher = join(import.meta.dirname, "../../blackout");
const fix = (...options: readonly string[]) => blackout("fix", ...options);

function blackout(command: string, ...options: readonly string[]) {
  const words = [command, "--recover", "./twice pool check", ...options, "--", "./twice", "pool"];
  try {
    const stdout = execFileSync(launcher, words, { cwd: folder, stdio: "pipe" });
    return { code: 0, stdout: `${stdout}`, stderr: "" };
  } catch (error) {
    const { status, stdout, stderr } = error as { status: number; stdout: Buffer; stderr: Buffer };
    return { code: status, stdout: `${stdout}`, stderr: `${stderr}` };
  }
}

it("prints a patch, and with --rebuild leaves a program without the mistake", () => {
  const { code, stdout } = fix("--rebuild", build);
  expect(stdout).toBe(`--- a/twice.c
+++ b/twice.c
@@ -15,8 +15,10 @@
   struct pair *pair = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
   if (argc > 2) return pair->twice < 2 * pair->count;
   for (int i = 0; i < 2; i++) {
-    if (pair->twice < 100)
+    if (pair->twice < 100) {
       pair->twice += 2;
+      persist(&pair->twice, sizeof(pair->twice));
+    }
     pair->count++;
     persist(&pair->count, sizeof pair->count);
   }
`);
  expect(code).toBe(0);
  expect(readFileSync(file, "utf8")).toContain("persist(&pair->twice");
});

it("leaves the sources as they were when the build fails", () => {
  const { code, stderr } = fix("--rebuild", "false");
  expect(code).toBe(2);
  expect(stderr).toContain("The build (false) failed with the patch: the sources are as they were.");
  expect(readFileSync(file, "utf8")).toBe(source);
});

it("touches no source that is newer than the program", () => {
  const later = new Date(Date.now() + 60_000);
  utimesSync(file, later, later);
  const { code, stdout, stderr } = fix("--apply");
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
  expect(stderr).toContain("is newer than the program");
  expect(readFileSync(file, "utf8")).toBe(source);
});

it("is part of a check's report", () => {
  const { code, stderr } = blackout("check", "--no-explore", "--html", "report.html");
  expect(code).toBe(1);
  expect(stderr).toContain(`(tested: the failure is gone):
    twice.c:18 - if (pair->twice < 100)
    twice.c:18 + if (pair->twice < 100) {
    twice.c:20 +   persist(&pair->twice, sizeof(pair->twice));
    twice.c:21 + }
`);
  expect(readFileSync(join(folder, "report.html"), "utf8")).toContain('"diff":"--- a/twice.c');
  const { stdout } = blackout("check", "--no-explore", "--fix", "--format", "sarif");
  const [result] = JSON.parse(stdout).runs[0].results;
  expect(result.fixes[0].artifactChanges[0].artifactLocation.uri).toBe("twice.c");
});

it("is the same in a check's report however the check is split, and not there if nobody wants it", () => {
  const reportOf = (...options: readonly string[]) =>
    blackout("check", "--no-explore", "--format", "json", ...options).stdout;
  const report = reportOf("-j", "1");
  expect(reportOf("-j", "2")).toBe(report);
  const [finding] = JSON.parse(report).findings;
  expect(finding.cure.verification).toEqual({ result: "cured" });
  const [without] = JSON.parse(reportOf("--no-fix")).findings;
  expect([without.cure.diff, without.cure.verification]).toEqual([undefined, undefined]);
});

it("is not in a check's report where the source is newer than the program", () => {
  const later = new Date(Date.now() + 60_000);
  utimesSync(file, later, later);
  const [finding] = JSON.parse(blackout("check", "--no-explore", "--format", "json").stdout).findings;
  expect(finding.cure.verification).toEqual({ result: "cured" });
  expect(finding.cure.diff).toBeUndefined();
});

/** `make seeded` takes what is slow and much alike. */
const takesAll = process.env.SEEDED === "all";

describe("takes what others have found", () => {
  const patchOf = (file: string) => fix("--from", file).stdout;

  const tracePmemcheck = () =>
    execFileSync(launcher, ["trace", "--log", "pmemcheck", "--log-file", "pmemcheck.log", "--", "./twice", "pool"], {
      cwd: folder,
      stdio: "pipe",
    });
  const pmtest = "[PMTest] FAIL: twice.c:19: not persisted before twice.c:20\n";
  /** Each makes a file; `make test` takes two of them. */
  const inputs: readonly (readonly [file: string, write: () => unknown])[] = [
    ["pmemcheck.log", tracePmemcheck],
    ["robust.json", () => blackout("robust", "--format", "json", "--report", "robust.json")],
    ["report.json", () => blackout("check", "--no-explore", "--format", "json", "--report", "report.json")],
    ["witness.json", () => blackout("check", "--no-explore", "--witness", "witness.json")],
    ["pmtest.log", () => writeFileSync(join(folder, "pmtest.log"), pmtest)],
  ];

  it("a log of pmemcheck, reports, a witness, a log of lines: the same patch", () => {
    const own = fix().stdout;
    expect(own).toContain("+      persist(&pair->twice");
    for (const [name, write] of takesAll ? inputs : inputs.slice(0, 2)) {
      write();
      expect(patchOf(name), name).toBe(own);
    }
  });

  /** As pmemcheck itself writes it: a head, everything on one line, and a list at the end, with a number on each line. */
  const store = (line: number, address: string, value: string) =>
    `STORE;${address};${value};0x8;0x401B2C: main (twice.c:${line});0x402210: (below main) (libc-start.c:58)`;
  const logged = ["FENCE", "FENCE", "REGISTER_FILE;/tmp/pool;0x5200000;0x1000;0x0"]
    .concat([store(19, "0x5200040", "0x2"), store(20, "0x5200000", "0x1"), "FLUSH;0x5200000;0x40", "FENCE"])
    .concat([store(19, "0x5200040", "0x4"), store(20, "0x5200000", "0x2"), "FLUSH;0x5200000;0x40", "FENCE"]);
  const head = ["pmemcheck-1.0, a simple persistent store checker", "Command: ./twice pool", ""];
  const listed = [
    "Number of stores not made persistent: 1",
    "Stores not made persistent properly:",
    "[0]    at 0x401B2C: main (twice.c:19)",
    "\tAddress: 0x5200040\tsize: 8\tstate: DIRTY",
    "Total memory not made persistent: 8",
    "ERROR SUMMARY: 1 errors",
  ];
  const numbered = (lines: readonly string[]) => lines.map((line) => `==4711== ${line}\n`).join("");

  const real: readonly (readonly [how: string, lines: readonly string[]])[] = [
    ["with stores", [...head, `START|${logged.join("|")}`, "|STOP", ...listed]],
    ["without stores", [...head, "", ...listed]],
  ];
  it.each(takesAll ? real : real.slice(0, 1))("a log of the real pmemcheck, %s", (_how, lines) => {
    writeFileSync(join(folder, "real.log"), numbered(lines));
    const { code, stdout } = fix("--from", "real.log");
    expect(code).toBe(0);
    expect(stdout).toContain("+      persist(&pair->twice, sizeof(pair->twice));\n");
    expect(stdout.split("\n").filter((line) => /^\+[^+]/.test(line))).toHaveLength(3);
  });

  it("and says what this run does not show", () => {
    writeFileSync(join(folder, "pmtest.log"), "FAIL: twice.c:7: not persisted\n");
    const { code, stdout, stderr } = fix("--from", "pmtest.log");
    expect({ code, stdout }).toEqual({ code: 1, stdout: "" });
    expect(stderr).toContain("not found: this run shows no error that pmtest.log reports as twice.c:7");
  });

  it.each([
    ["neither.log", "all is well\n", "no line of it blames a line of source"],
    ["cut.log", "START|STORE;0x1;0x1;0x8|", "cut.log"],
    ["no-stacks.log", "START|REGISTER_FILE;/p;0x100000;0x1000;0x0|STORE;0x100000;0x1;0x8|STOP", "stacktraces"],
    ["report.json", '{"schema": "blackout-report"}', "report.json"],
    ["witness.json", "{}", "is not a witness file"],
  ])("%s is refused", (name, text, says) => {
    writeFileSync(join(folder, name), text);
    const { code, stdout, stderr } = fix("--apply", "--from", name);
    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).toContain(says);
    expect(stderr.trim().split("\n")).toHaveLength(1);
    expect(readFileSync(file, "utf8")).toBe(source);
  });
});

it("does one thing at a time", () => {
  const { code, stderr } = fix("--durable", "--performance");
  expect(code).toBe(2);
  expect(stderr).toContain("--durable and --performance cannot be combined");
});

it("changes nothing where a source is not there", () => {
  renameSync(file, join(folder, "elsewhere.c"));
  const { code, stderr } = fix("--apply");
  renameSync(join(folder, "elsewhere.c"), file);
  expect(code).toBe(2);
  expect(stderr).toMatch(/twice\.c cannot be read.*: nothing is changed/);
});
