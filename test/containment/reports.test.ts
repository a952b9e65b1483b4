/** What a program, its debug information or a file in the working directory can make a report show and the command do. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { inTemporaryDirectory, runBlackout, runGuest } from "../end-to-end/command.ts";
import { checkArgs, makeLedger, setRules } from "../replay/ledger.ts";

/** Stores to a mapped file and never flushes, in a function whose name and place are given. */
const program = (symbol: string, place: string): string => `
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>
void store(char *to) __asm__("${symbol}");
__attribute__((noinline)) void store(char *to) {
# 3 "${place}"
  to[64] = 1;
}
int main(void) {
  int fd = open("pool", O_RDWR | O_CREAT, 0600);
  ftruncate(fd, 4096);
  store(mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}
`;

function compile(folder: string, source: string, name = "program"): string {
  const file = join(folder, "source.c");
  writeFileSync(file, source);
  execFileSync("gcc", ["-g", "-O1", "-o", join(folder, name), file]);
  return join(folder, name);
}

const secret = "one\ntwo\nthe secret line\nfour\n";

describe("source in reports", () => {
  it("is not read where debug information says, but below directories that the user named", () => {
    inTemporaryDirectory((base) => {
      const [own, outside] = [join(base, "own"), join(base, "outside")];
      for (const folder of [own, outside]) mkdirSync(folder);
      writeFileSync(join(outside, "secret.c"), secret);
      const built = compile(own, program("store", join(outside, "secret.c")));
      for (const command of ["trace", "check"]) {
        const trace = (...options: string[]) =>
          runBlackout([command, "--show", "all", ...options, "--", built], { cwd: own }).stderr;
        const withheld = trace();
        expect(withheld).toContain("secret.c:3");
        expect(withheld).not.toContain("the secret line");
        expect(withheld.match(/--source DIR/g)).toHaveLength(1);
        expect(trace("--source", outside)).toContain("the secret line");
        expect(trace("--source", outside)).not.toContain("--source DIR");
      }
    });
  });

  it.each([
    ["build", "CMakeLists.txt", true],
    ["target/release", "Cargo.toml", true],
    ["build", "notes.txt", false],
    ["elsewhere", "CMakeLists.txt", false],
  ])("beside %s, where there is %s: %s", (folder, file, isShown) => {
    inTemporaryDirectory((base) => {
      const [built, src] = [join(base, folder), join(base, "src")];
      for (const each of [built, src]) mkdirSync(each, { recursive: true });
      writeFileSync(join(base, file), "");
      writeFileSync(join(src, "secret.c"), secret);
      const path = compile(built, program("store", join(src, "secret.c")));
      const { stderr } = runBlackout(["trace", "--show", "all", "--", path], { cwd: built });
      expect(stderr.includes("the secret line")).toBe(isShown);
      expect(stderr.includes("--source DIR")).toBe(!isShown);
    });
  });

  it("is found again below --source where the tree lies now", () => {
    inTemporaryDirectory((base) => {
      mkdirSync(join(base, "tree/src"), { recursive: true });
      writeFileSync(join(base, "tree/src/secret.c"), secret);
      const built = compile(base, program("store", "/build/that/was/src/secret.c"));
      const { stderr } = runBlackout(["trace", "--show", "all", "--source", join(base, "tree"), "--", built], {
        cwd: "/",
      });
      expect(stderr).toContain("the secret line");
    });
  });

  it.each([
    ["no source file", "secret", undefined],
    ["a link out", "link.c", "../outside/secret.c"],
    ["a link to no source file", "link.c", "secret"],
  ])("is not %s", (_what, name, target) => {
    inTemporaryDirectory((base) => {
      const [own, outside] = [join(base, "own"), join(base, "outside")];
      for (const folder of [own, outside]) {
        mkdirSync(folder);
        writeFileSync(join(folder, "secret"), secret);
      }
      writeFileSync(join(outside, "secret.c"), secret);
      if (target !== undefined) symlinkSync(target, join(own, name));
      const built = compile(own, program("store", join(own, name)));
      const { stderr } = runBlackout(["trace", "--", built], { cwd: own });
      expect(stderr).toContain(`${name}:3`);
      expect(stderr).not.toContain("the secret line");
    });
  });

  it("is not a device or a pipe, and a file without end costs nothing", () => {
    inTemporaryDirectory((base) => {
      execFileSync("mkfifo", [join(base, "pipe.c")]);
      execFileSync("truncate", ["-s", "1T", join(base, "huge.c")]);
      symlinkSync("/dev/zero", join(base, "zero.c"));
      for (const name of ["pipe.c", "huge.c", "zero.c"]) {
        const built = compile(base, program("store", join(base, name)));
        const { code, stderr } = runBlackout(["trace", "--", built], { cwd: base });
        expect(stderr).toContain(`${name}:3`);
        expect(code).toBe(0);
      }
    });
  });
});

describe("blackout.config.json in the working directory", () => {
  it("runs no code, grants nothing and writes nothing, and says what it left out", () => {
    inTemporaryDirectory((base) => {
      writeFileSync(
        join(base, "rule.mjs"),
        `import fs from "node:fs"; fs.writeFileSync("ran", ""); export const rule = { id: "own", severity: "warning", title: "t", sentence: "s", advice: "a", start: () => ({ event() {} }) };`,
      );
      const section = {
        rule: ["rule.mjs"],
        rw: [base],
        report: "report",
        out: "out.btrace",
        disable: ["transient-data"],
      };
      writeFileSync(join(base, "blackout.config.json"), JSON.stringify({ trace: section }));
      const built = compile(base, program("store", "x.c"));
      const { code, stderr } = runBlackout(["trace", "--", built], { cwd: base });
      expect(code).toBe(0);
      expect(stderr).toMatch(/blackout.config.json sets rule, rw, report, out: that is left out; give --config/);
      for (const name of ["ran", "report", "out.btrace", "pool"])
        expect(existsSync(join(base, name)), name).toBe(false);
      const asked = runBlackout(["trace", "--config", "blackout.config.json", "--", built], { cwd: base });
      expect(asked.code).toBe(0);
      for (const name of ["ran", "report", "out.btrace", "pool"]) expect(existsSync(join(base, name)), name).toBe(true);
    });
  });
});

describe("--read", () => {
  it("shows the program what it was given and the system's libraries, and nothing else", () => {
    inTemporaryDirectory((base) => {
      for (const name of ["given", "hidden"]) {
        mkdirSync(join(base, name));
        writeFileSync(join(base, name, "file"), `text of ${name}`);
      }
      symlinkSync("../hidden/file", join(base, "given/link"));
      const run = (...command: string[]) => runGuest(["--read", join(base, "given")], command);
      expect(run("/bin/cat", join(base, "given/file")).stdout).toBe("text of given");
      for (const path of ["hidden/file", "given/link", "given/../hidden/file"]) {
        const { stdout, stderr } = run("/bin/cat", join(base, path));
        expect(stdout).toBe("");
        expect(stderr).toContain("No such file or directory");
      }
      expect(run("/bin/ls", base).stdout).toBe("given\n");
      expect(run("/bin/cat", "/etc/passwd").code).toBe(1);
    });
  });
});

/** Everything that is no plain text: what moves the cursor, rings or hides. */
const controls = /(?![\n\t])[\p{Cc}\p{Bidi_Control}]/u;
const nasty = "\u001b]0;owned\u0007\u001b[2J\nSUMMARY: 0 errors\u202e";

/** As long as that; no compiler takes such names, so they are put into the compiled file. */
const placeholder = "Z".repeat(Buffer.byteLength(nasty));

describe("names from outside", () => {
  it("of symbols, files and programs are printed as text", () => {
    inTemporaryDirectory((base) => {
      const built = join(base, `program${nasty}`);
      const plain = compile(base, program(`store${placeholder}`, `place${placeholder}.c`));
      const bytes = readFileSync(plain, "latin1").replaceAll(placeholder, Buffer.from(nasty).toString("latin1"));
      writeFileSync(built, bytes, { encoding: "latin1", mode: 0o755 });
      for (const command of [
        ["trace"],
        ["trace", "--gen-suppressions", "made.supp"],
        ["check"],
        ["trace", "--log", "pmemcheck"],
        ["run", "--max-instructions", "100k"],
      ]) {
        const { stdout, stderr, code } = runBlackout([...command, "--", built], { cwd: base });
        expect(controls.exec(stdout + stderr), command.join(" ")).toBeNull();
        expect(stdout + stderr, command.join(" ")).not.toMatch(/^SUMMARY: 0 errors/m);
        expect([0, 3]).toContain(code);
      }
      expect(controls.exec(readFileSync(join(base, "made.supp"), "utf8"))).toBeNull();
    });
  });

  it("and what a recovery says, when it is replayed", () => {
    inTemporaryDirectory((base) => {
      makeLedger(base);
      setRules(base, nasty.split("\n")[0]!);
      expect(runBlackout(checkArgs("--witness", "w.json"), { cwd: base }).code).toBe(1);
      const { stdout, code } = runBlackout(["replay", "--only", "1", "--dump", "dump", "w.json"], { cwd: base });
      expect(controls.exec(stdout)).toBeNull();
      expect(stdout).toContain("owned");
      expect(code).toBe(1);
    });
  });

  it("of litmus tests, and those that cannot be opened", () => {
    inTemporaryDirectory((base) => {
      const file = join(base, `litmus${nasty}.json`);
      const source = readFileSync(join(import.meta.dirname, "../litmus/order.json"), "utf8");
      const tests = JSON.parse(source) as { name: string }[] | { tests: { name: string }[] };
      const [first] = Array.isArray(tests) ? tests : tests.tests;
      writeFileSync(file, JSON.stringify([{ ...first, name: nasty }]));
      for (const args of [
        ["litmus", file],
        ["litmus", `${file}-missing`],
        ["run", "--", nasty],
        ["run", "--", `./${nasty}`],
      ]) {
        const { stdout, stderr } = runBlackout(args, { cwd: base });
        expect(controls.exec(stdout + stderr), args.join(" ")).toBeNull();
        expect(stdout + stderr).not.toMatch(/^SUMMARY: 0 errors/m);
      }
    });
  });
});

describe("streams", () => {
  it("a log for tools has one of its own, and check says that --rw does nothing", () => {
    inTemporaryDirectory((base) => {
      const built = compile(base, program("store", "place.c"));
      const logged = runBlackout(["trace", "--log", "pmemcheck", "--", built], { cwd: base });
      expect(logged.stdout).toMatch(/^START\|.*STOP\n*$/s);
      const filed = runBlackout(["trace", "--log", "pmemcheck", "--log-file", "log", "--", built], { cwd: base });
      expect(filed.stdout).toBe("");
      expect(readFileSync(join(base, "log"), "utf8")).toBe(logged.stdout);
      const { stderr } = runBlackout(["check", "--rw", ".", "--", built], { cwd: base });
      expect(stderr).toContain("blackout: --rw has no effect here: nothing of a check reaches the host's files");
    });
  });
});
