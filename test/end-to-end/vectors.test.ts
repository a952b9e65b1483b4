/** A program built for x86-64-v3 prints in the machine what it prints on a processor that has AVX2. */
import { execFileSync } from "node:child_process";
import { expect, test } from "vitest";
import { processorLevel } from "../../tools/cpu-harness/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";

const program = () => compileGuest("machine/vectors.c", ["-O3", "-march=x86-64-v3", "-w", "-lm"]);

// A processor without AVX2 cannot run the program.
test.skipIf(processorLevel !== "v3").each([
  ["interpreted", 0],
  ["compiled", 40],
])("%s, it is the same as on the processor", (_, hotAfter) => {
  const path = program();
  const native = execFileSync(path, { encoding: "utf8" });
  const { outcome, stdout } = finish(loadGuest([path], { cpu: "v3", hotAfter }));
  expect(stdout).toBe(native);
  expect(outcome).toEqual({ kind: "exit", code: 0 });
});

test("on an older processor it ends with a sentence that says what to do", () => {
  const { machine, notices } = loadGuest([program()], { cpu: "v2" });
  machine.run();
  expect(notices.join("\n")).toMatch(/needs AVX.*x86-64-v2: rebuild with -march=x86-64-v2, or give --cpu v3/);
});
