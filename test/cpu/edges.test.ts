/** The machine at its edges says what the processor and the kernel here say: faults, lengths, flags that do not go together. */
import { execFileSync } from "node:child_process";
import { expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { runGuest } from "../end-to-end/command.ts";

it("gives the signals that the processor and the kernel give", () => {
  const program = buildGuest("machine/edges.c", ["-O1"]);
  const native = execFileSync(program, { encoding: "utf8" });
  expect(native).toMatch(/^14 prefixes and nop: runs\n15 prefixes and nop: signal 11 code 128 rip \+0 trap 13\n/);
  const { code, stdout } = runGuest([], [program]);
  expect(stdout).toBe(native);
  expect(code).toBe(0);
});
