/** The text of a report as terminals get it: width, colours, whose code it is. `make golden UPDATE=1` writes the files again. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { paint } from "../../src/app/commands/terminal.ts";
import type { Report } from "../../src/report/document/index.ts";
import { reportText } from "../../src/report/render/index.ts";
import { reportOf } from "../support/findings.ts";
import { compileExample, compileText } from "../support/programs.ts";

const pool = "/tmp/blackout-terminal.img";
const checkWords = (program: string, ...more: readonly string[]) => [
  ...more,
  ...["--recover", `${program} ${pool} check`, "--", program, pool],
];
const readSource = (path: string) => readFileSync(path, "utf8");

/** Escape sequences as a reader can tell them apart. */
const visible = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what is looked for
  text.replaceAll(/\u001b\[(\d+)m/g, (_, code: string) => `<${code}>`);

describe("a finding", () => {
  let report: Report;
  beforeAll(async () => {
    report = await reportOf("check", checkWords(compileExample("slot.c", []), "--no-rules"));
  });

  it.each([40, 60, 80, 120])("fits %i columns", async (width) => {
    const text = reportText(report, { readSource, width });
    // The summary stays one line, for those who look for it.
    for (const line of text.split("\n").filter((each) => !each.startsWith("SUMMARY")))
      expect(line.length, line).toBeLessThanOrEqual(width);
    await expect(`${text}\n`).toMatchFileSnapshot(`terminal/${width}-columns.txt`);
  });
  it("is painted without a change to its text", async () => {
    const painted = reportText(report, { readSource, width: 80, paint });
    await expect(`${visible(painted)}\n`).toMatchFileSnapshot("terminal/painted.txt");
    expect(visible(painted).replaceAll(/<\d+>/g, "")).toBe(reportText(report, { readSource, width: 80 }));
  });
});

const store = `void store(unsigned long *place) {
  *place = 1;
}
`;
const caller = `#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
void store(unsigned long *place);
int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, 4096) != 0) return 2;
  unsigned long *pm = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) return pm[0] == 0 && pm[64] == 1;
  store(pm);
  store(pm + 64);
  __builtin_ia32_clflush(pm + 64);
  __builtin_ia32_sfence();
  return 0;
}
`;

/** A program and a library of its own, each in a folder. */
function compileWithLibrary(folder: string): string {
  for (const [path, text] of [
    ["lib/store.c", store],
    ["app/main.c", caller],
  ] as const) {
    mkdirSync(join(folder, dirname(path)));
    writeFileSync(join(folder, path), text);
  }
  const gcc = (...words: readonly string[]) => execFileSync("gcc", ["-g", "-O1", ...words], { cwd: folder });
  gcc("-shared", "-fPIC", "-o", "lib/libstore.so", "lib/store.c");
  gcc("-o", "app/main", "app/main.c", "-Llib", "-lstore", `-Wl,-rpath,${join(folder, "lib")}`);
  return join(folder, "app/main");
}

describe("the user's code", () => {
  const headline = async (words: readonly string[]) => (await reportOf("check", words)).findings[0]?.headline;

  it("is what lies beside the program, by whichever path, and what --mine names", async () => {
    const folder = mkdtempSync(join(tmpdir(), "blackout-own-"));
    try {
      const program = compileWithLibrary(folder);
      const users = "main.c:10 may be lost while main.c:11 is kept";
      symlinkSync(dirname(program), join(folder, "link"));
      expect(await headline(checkWords(join(folder, "link/main"), "--no-rules"))).toContain(users);
      const mine = ["--no-rules", "--mine", join(folder, "lib/*")];
      expect(await headline(checkWords(program, ...mine))).toContain("store.c:2");
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

const hint = `#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
int main(int argc, char **argv) {
  int fd = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (ftruncate(fd, 4096) != 0) return 2;
  volatile unsigned long *pm = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (argc > 2) return 0;
  for (int i = 1; i < 3; i++) {
    pm[0] = i;
    if (i == 1) __builtin_ia32_clflush((void *)pm);
    __builtin_ia32_sfence();
  }
  return 0;
}
`;

describe("a rule's error", () => {
  const words = "no crash state of this run breaks this recovery";
  const program = () => compileText("hint", hint, ["-g", "-O1"]);
  const missing = ({ findings }: Report) => findings.find(({ rule }) => rule === "missing-flush");

  it("says so where every crash state was judged and none breaks recovery", async () => {
    const report = await reportOf("check and explore", checkWords(program()));
    expect(missing(report)?.noCrashFails).toBe(true);
    expect(reportText(report, { readSource, width: 120 })).toContain(words);
  });
  it("and not where only some were", async () => {
    const report = await reportOf("check", checkWords(program()));
    expect(missing(report)).toBeDefined();
    expect(reportText(report, { readSource, width: 120 })).not.toContain(words);
  });
});
