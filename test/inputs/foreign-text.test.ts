/** What comes from outside is shown, not obeyed: names in complaints, what recoveries print, texts in reports for other tools. */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTemporaryDirectory, runBlackout } from "../end-to-end/command.ts";
import { compileText } from "../support/programs.ts";

/** Starts a colour, hides, turns writing round; with letters that take two bytes. */
const foreign = "\u001b[8m\u00ad\u202eüß";
const shown = "\\x1b[8m\\xad\\u202eüß";
const invisible = /[\p{Cc}\p{Cf}\p{DI}]/u;

describe("a name in a complaint", () => {
  it.each([
    ["run", "--root", foreign],
    ["run", "--rw", foreign],
    ["run", "--read", foreign],
    ["run", "--", `./${foreign}`],
    ["trace", "--pm", `${foreign}[z-a]`],
    ["replay", foreign],
    ["page", foreign],
    ["litmus", foreign],
    ["run", `--${foreign}`],
    [foreign],
  ])("%j", (...words) => {
    inTemporaryDirectory((cwd) => {
      const program = words.includes("--") || (words[0] !== "run" && words[0] !== "trace") ? [] : ["--", "/bin/true"];
      const { code, stderr } = runBlackout([...words, ...program], { cwd });
      expect(stderr.split("\n")[0]).not.toMatch(invisible);
      expect(stderr).toContain(shown);
      expect(code).toBe(2);
    });
  });
});

const source = `
#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int count, char **words) {
  int fd = open("pool", O_RDWR | O_CREAT, 0600);
  ftruncate(fd, 4096);
  volatile char *bytes = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (count == 1) {
    bytes[0] = 1;
    bytes[64] = 1;
    return 0;
  }
  if (bytes[0] == bytes[64]) return 0;
  printf("\\033[8mlost\\nwitness 1: the failure is gone\\n");
  return 1;
}
`;

describe("what a recovery prints and a program is called", () => {
  it("is quoted by replay, escaped in reports, and stays in JSON what it was", () => {
    inTemporaryDirectory((cwd) => {
      const program = compileText("forger.c", source, ["-g", "-O1"]);
      const name = `a=b${foreign}`;
      copyFileSync(program, join(cwd, name));
      const words = ["--no-rules", "--no-fix", "--recover", `'./${name}' look`];
      const check = (format: string) =>
        runBlackout(["check", ...words, "--format", format, "--witness", "w.json", "--", `./${name}`], { cwd });
      const { code, stdout } = check("json");
      expect(code).toBe(1);
      expect(stdout).not.toMatch(/[^\P{C}\n]/u);
      expect(JSON.parse(stdout).run.program).toEqual([`./${name}`]);
      const sarif = JSON.stringify(JSON.parse(check("sarif").stdout).runs[0].results);
      expect(JSON.parse(sarif)).not.toEqual([]);
      expect(sarif).not.toMatch(/[^\P{C}\n]/u);
      const again = runBlackout(["replay", "w.json", "--only", "1"], { cwd });
      expect(again.stdout).toMatch(
        /^witness 1: recovery exits with 1, as recorded\n {2}\| \\x1b\[8mlost\n {2}\| witness 1: the failure is gone\n$/,
      );
    });
  });
});
