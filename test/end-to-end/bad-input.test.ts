/** What the user can get wrong: one clear sentence on stderr, exit code 2, nothing on stdout, and never a hang. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Ended, runBlackout, runGuest } from "./command.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "blackout-bad-"));
});
afterAll(() => rmSync(directory, { recursive: true, force: true }));

/** One line that starts with our name and ends like a sentence, and no stack trace. */
function complains({ code, stdout, stderr }: Ended, about: RegExp): void {
  expect(stderr).toMatch(about);
  expect(stderr).toMatch(/^blackout: .*\.\n$/);
  expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
}

function program(name: string, contents: Uint8Array | string, mode = 0o755): string {
  const path = join(directory, name);
  writeFileSync(path, contents);
  chmodSync(path, mode);
  return path;
}

/** /bin/true with some bytes changed. */
function patched(name: string, changes: Readonly<Record<number, readonly number[]>>): string {
  const bytes = readFileSync("/bin/true");
  for (const [offset, values] of Object.entries(changes)) bytes.set(values, Number(offset));
  return program(name, bytes);
}

const field = {
  class: 4,
  data: 5,
  type: 16,
  machine: 18,
  programHeaders: 32,
  entrySize: 54,
  entryCount: 56,
};
/** e_machine: 386, PowerPC, ARM, AArch64. */
const machine = { i386: 3, powerpc: 20, arm: 40, arm64: 183 };
const bigEndian = (code: number) => ({ [field.data]: [2], [field.machine]: [0, code] });
const little = (code: number) => ({ [field.machine]: [code, 0] });

const corrupted: readonly [name: string, changes: Readonly<Record<number, readonly number[]>>, about: RegExp][] = [
  ["32-bit", { [field.class]: [1], ...little(machine.i386) }, /32-bit/],
  ["32-bit ARM", { [field.class]: [1], ...little(machine.arm) }, /ARM|32-bit/],
  ["AArch64", little(machine.arm64), /AArch64|ARM/i],
  ["big-endian", bigEndian(machine.powerpc), /big-endian/],
  ["no class", { [field.class]: [9] }, /corrupted/],
  ["object file type", { [field.type]: [1, 0] }, /object file/],
  ["core dump type", { [field.type]: [4, 0] }, /core dump/],
  ["program headers beyond the end", { [field.programHeaders]: [0, 0, 0, 0x7f] }, /truncated|corrupted/],
  ["program headers of a wrong size", { [field.entrySize]: [1, 0] }, /corrupted/],
  ["too many program headers", { [field.entryCount]: [0xff, 0x7f] }, /truncated|corrupted/],
  ["no program headers", { [field.entryCount]: [0, 0] }, /no loadable segment/],
];

describe("a file that is no program for this machine", () => {
  it("is empty", () => complains(runGuest([], [program("empty", "")]), /is empty/));
  it("is text", () => complains(runGuest([], [program("text", "just some text\n")]), /not an ELF program/));
  it("is a script whose interpreter is not there, and is named", () => {
    complains(runGuest([], [program("script", "#!/no/such/sh\necho hi\n")]), /script for \/no\/such\/sh/);
  });
  it.each([1, 4, 20, 63, 64, 100, 500, 5000])("is cut off after %d bytes", (size) => {
    const path = program(`cut-${size}`, readFileSync("/bin/true").subarray(0, size));
    complains(runGuest([], [path]), /truncated|not an ELF program|corrupted/);
  });
  it.each(corrupted)("is %s", (name, changes, about) => {
    complains(runGuest([], [patched(name.replaceAll(" ", "-"), changes)]), about);
  });
  it("has an interpreter that does not exist", () => {
    const source = program("a.c", "int main() { return 0; }");
    const path = join(directory, "no-interpreter");
    execFileSync("gcc", ["-o", path, source, "-Wl,--dynamic-linker=/no/such/ld.so"]);
    complains(runGuest([], [path]), /\/no\/such\/ld\.so, which does not exist/);
  });
});

describe("a library that does not exist", () => {
  it("is named by the loader; the exit code says bad input", () => {
    const library = program("f.c", "int f(void) { return 1; }");
    const source = program("m.c", "int f(void); int main() { return f(); }");
    const [shared, path] = [join(directory, "libabsent.so"), join(directory, "no-library")];
    execFileSync("gcc", ["-shared", "-fPIC", "-o", shared, library]);
    execFileSync("gcc", ["-o", path, source, shared, "-Wl,-rpath,/nowhere"]);
    const before = runGuest(["--env", `LD_LIBRARY_PATH=${directory}`], [path]);
    rmSync(shared);
    const after = runGuest([], [path]);
    expect(after.stderr).toMatch(/libabsent\.so: cannot open shared object file/);
    expect(after.stderr).toMatch(/^blackout: .* could not be loaded: .*\.$/m);
    expect(after.code).toBe(2);
    expect(before.code).not.toBe(0);
  });
  it("is no reason to doubt a program that ends with the same code itself", () => {
    expect(runGuest([], ["/bin/bash", "-c", "exit 127"]).code).toBe(127);
  });
});

describe("a path that is no program", () => {
  it("does not exist", () => complains(runGuest([], [join(directory, "missing")]), /missing does not exist/));
  it("is not along PATH", () => complains(runGuest([], ["no-such-program"]), /no program no-such-program/));
  it("is a directory", () => {
    mkdirSync(join(directory, "folder"));
    complains(runGuest([], [join(directory, "folder")]), /is a directory/);
  });
  it("goes through a file", () => complains(runGuest([], ["/bin/true/x"]), /not a directory/));
  it("is a loop of links", () => {
    symlinkSync("loop", join(directory, "loop"));
    complains(runGuest([], [join(directory, "loop")]), /symbolic links/);
  });
  it("is a device", () => complains(runGuest([], ["/dev/zero"]), /not a regular file/));
  it("is a pipe that nobody writes to", () => {
    execFileSync("mkfifo", ["-m", "755", join(directory, "fifo")]);
    complains(runGuest([], [join(directory, "fifo")]), /not a regular file/);
  });
  it("may not be executed", () => {
    copyFileSync("/bin/true", join(directory, "plain"));
    chmodSync(join(directory, "plain"), 0o644);
    complains(runGuest([], [join(directory, "plain")]), /may not be executed/);
  });
});

describe("options", () => {
  const wrong: readonly [options: readonly string[], about: RegExp][] = [
    [["--seed", "x"], /--seed takes a whole number/],
    [["--max-memory", "-3"], /--max-memory takes a whole number/],
    [["--max-instructions", "1.5"], /--max-instructions takes a whole number/],
    [["--env", "NOT_SET_ANYWHERE"], /--env takes NAME=VALUE/],
    [["--rw", "/no/such/directory"], /\/no\/such\/directory is not a directory/],
    [["--root", "/no/such/directory"], /\/no\/such\/directory is not a directory/],
  ];
  it.each(wrong)("%j", (options, about) => complains(runGuest(options, ["/bin/true"]), about));
  it("that do not exist are named", () => {
    const { code, stderr } = runGuest(["--bogus"], ["/bin/true"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/--bogus/);
  });
  it("without a program are not enough", () => {
    expect(runBlackout(["run"])).toMatchObject({ code: 2, stderr: expect.stringMatching(/program/) });
  });
  it("after the program are the program's", () => {
    expect(runGuest([], ["/bin/echo", "--seed", "--help", "-x"]).stdout).toBe("--seed --help -x\n");
  });
});

describe("a command that does not exist", () => {
  it("is named, with the one that was meant", () => {
    const { code, stderr } = runBlackout(["runn"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no command "runn"\. Did you mean run\?/);
  });

  it("is named, with those that do if none is near", () => {
    const { code, stderr } = runBlackout(["xyzzy"]);
    expect(code).toBe(2);
    expect(stderr).toMatch(/no command "xyzzy"[\s\S]*litmus/);
  });
});
