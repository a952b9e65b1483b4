/** No finding is only good news where something was tested: else the exit code is 3, and the last line says what was seen. */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { inTemporaryDirectory, runBlackout } from "./command.ts";

const filework = buildGuest("programs/filework.c", ["-O1", "-static"]);
const commands: Readonly<Record<string, readonly string[]>> = {
  check: ["--no-journal", "--recover", "/bin/true"],
  explore: ["--no-journal", "--recover", "/bin/true"],
  represent: ["--no-journal", "--recover", "/bin/true"],
  robust: ["--no-journal", "--recover", "/bin/true"],
  trace: [],
  fix: ["--recover", "/bin/true"],
};

const lastLine = (text: string): string => text.trimEnd().split("\n").at(-1)!;

function ended(command: string, options: readonly string[], program: readonly string[]) {
  return inTemporaryDirectory((cwd) => {
    const args = [command, ...commands[command]!, ...options, "--", ...program];
    const { code, stderr } = runBlackout(args, { cwd });
    return { code, said: lastLine(stderr).replace(cwd, ".") };
  });
}

describe.each(Object.keys(commands))("%s", (command) => {
  it("of a program that touches no file", () => {
    const said = "blackout: nothing was tested: the program mapped no file shared and wrote none";
    expect(ended(command, [], ["/bin/true"])).toEqual({ code: 3, said });
    expect(ended(command, ["--allow-empty"], ["/bin/true"])).toEqual({ code: 0, said });
  });
  it("of a program that is fine", () => {
    expect(ended(command, [], [filework, "store", "pool"]).code).toBe(0);
  });
  it("of a program that fails", () => {
    const said = "blackout: tested only up to where the program failed: it exited with 2";
    expect(ended(command, [], [filework, "fail", "pool"])).toEqual({ code: 3, said });
    expect(ended(command, [], [filework, "abort", "pool"])).toMatchObject({
      code: 3,
      said: expect.stringMatching(/failed: it was killed by SIGABRT/),
    });
  });
});

// Who says it is one function.
describe.each(["check", "trace"])("%s", (command) => {
  it("of a program that writes by calls", () => {
    const said = "blackout: nothing was tested: the program wrote 1 file by calls; ordinary files are not judged yet";
    expect(ended(command, [], [filework, "write", "pool"])).toEqual({ code: 3, said });
  });
  it("of a program that stores nothing to what it maps", () => {
    const said = "blackout: nothing was tested: the program mapped ./pool shared and stored nothing there";
    expect(ended(command, [], [filework, "map", "pool"])).toEqual({ code: 3, said });
  });
  it("with a --pm that matches nothing", () => {
    const said = "blackout: nothing was tested: the program mapped ./pool shared, which no --pm matches";
    expect(ended(command, ["--pm", "*/poool"], [filework, "store", "pool"])).toEqual({ code: 3, said });
  });
  it("of a program that lacks a call and gives up", () => {
    const said = (code: number, call: string) =>
      `blackout: nothing was tested: the program exited with ${code} and called ${call}, which is not supported; it wrote 1 file by calls; ordinary files are not judged yet`;
    expect(ended(command, [], [filework, "fork", "pool"])).toEqual({ code: 3, said: said(3, "clone") });
    expect(ended(command, [], [filework, "socket", "pool"])).toEqual({ code: 3, said: said(4, "socket") });
  });
});

it("a program that is its own recovery and fails at once is not blamed on the recovery", () => {
  const { code, stderr } = runBlackout(["check", "--no-journal", "--", "/bin/false"]);
  expect(lastLine(stderr)).toBe(
    "blackout: nothing was tested: the program exited with 1; it mapped no file shared and wrote none",
  );
  expect(code).toBe(3);
});

it("JSON has the sentence among its warnings, and the line is said all the same", () => {
  const { code, stdout, stderr } = runBlackout(["trace", "--format", "json", "--", "/bin/true"]);
  const sentence = "nothing was tested: the program mapped no file shared and wrote none";
  expect(JSON.parse(stdout)).toMatchObject({ warnings: [{ says: sentence }] });
  expect(lastLine(stderr)).toBe(`blackout: ${sentence}`);
  expect(code).toBe(3);
});

it("a recorded trace without a store is as empty", () => {
  inTemporaryDirectory((cwd) => {
    const file = join(cwd, "empty.btrace");
    runBlackout(["trace", "--out", file, "--", filework, "map", "pool"], { cwd });
    const { code, stderr } = runBlackout(["trace", "--in", file], { cwd });
    expect(lastLine(stderr)).toBe("blackout: nothing was tested: the trace holds no store to persistent memory");
    expect(code).toBe(3);
  });
});
