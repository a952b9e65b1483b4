/** Programs and checkers that are scripts: one process whose program takes another's place. What needs two is said by its call. */
import { chmodSync, copyFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { reportOf } from "../support/findings.ts";
import { compileText } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-scripts-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const program = join(folder, "log");
const compiled = compileText(
  "scripts",
  `#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
struct log { long length; char pad[56]; char text[64]; };
int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, 4096)) return 2;
  struct log *log = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) {
    if (log->length && log->text[0] == 0) return fprintf(stderr, "empty record\\n"), 1;
    return 0;
  }
  strcpy(log->text, "hello");
  log->length = 1;
  __builtin_ia32_clflush(log->text); __builtin_ia32_clflush(&log->length); __builtin_ia32_sfence();
  return 0;
}
`,
  ["-g", "-O1"],
);
// Beside the scripts, as a user's own.
copyFileSync(compiled, program);
const pool = join(folder, "pool");

function script(name: string, lines: readonly string[]): string {
  const path = join(folder, name);
  writeFileSync(path, `${lines.join("\n")}\n`);
  chmodSync(path, 0o700);
  return path;
}

const checker = script("check.sh", ["#!/bin/sh", '[ -f "$1" ] || exit 3', `exec ${program} "$1" check`]);
const starter = script("start.sh", ["#!/bin/sh", `exec ${program} "$1"`]);
const check = (recover: string, ...words: readonly string[]) =>
  reportOf("check", ["--no-explore", "--no-fix", "--no-rules", "--recover", recover, "--", ...words]);

test.each([
  ["a script that ends with exec", `${checker} ${pool}`, program],
  ["bash's only command", `bash -c '${program} ${pool} check'`, program],
  ["env and nice", `env A=1 nice ${program} ${pool} check`, program],
  ["a script, and the program is one, too", `${checker} ${pool}`, starter],
])("a checker that is %s finds what the program itself does", async (_what, recover, traced) => {
  const { findings } = await check(recover, traced, pool);
  expect(findings.map(({ rule }) => rule)).toEqual(["recovery-fails"]);
  expect(findings[0]!.headline).toMatch(/:15 may be lost while .*:16 is kept/);
  expect(findings[0]!.recovery!.stderr).toBe("empty record\n");
});

test("a checker that starts another process is told by the call that does", async () => {
  const forking = script("fork.sh", ["#!/bin/sh", `${program} "$1" check`, "echo done"]);
  await expect(check(`${forking} ${pool}`, program, pool)).rejects.toThrow(
    /^The recovery exits with 2: the guest called vfork at .* not supported: .*scripts that replace themselves by exec do\./,
  );
});
