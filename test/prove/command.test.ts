/** `blackout prove` on functions of a binary: what it prints, its exit codes, and a proof that is checked. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, expect, test, vi } from "vitest";
import { proveCommand } from "../../src/app/commands/prove.ts";
import { compileGuest } from "../support/programs.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-prove-code-"));
afterAll(() => rmSync(folder, { recursive: true }));

let output = "";
beforeEach(() => {
  output = "";
});
vi.mock("../../src/host/index.ts", async (importOriginal) => ({
  ...(await importOriginal<object>()),
  stdoutLine: (text: string) => {
    output += `${text}\n`;
  },
}));

const program = compileGuest("prove/publish.c", ["-O2", "-g"]);
const prove = (...words: readonly string[]) => proveCommand([...words, "--", program]);

test("unsafe: 1, with an execution and lines", async () => {
  const words = ["--thread", "write_data_unflushed", "--thread", "read_flag", "--recover", "seen_has_data"];
  expect(await prove(...words)).toBe(1);
  expect(output).toMatch(/^unsafe: /);
  expect(output).toMatch(/T1: store in read_flag \(publish\.c:\d+\)/);
  expect(output).toContain("recovered data=0");
  output = "";
  expect(await prove(...words, "--by", "solver")).toBe(1);
  expect(output).toContain("recovered data=0, from initially data");
});

test("both encodings of a crash give one answer", async () => {
  const words = ["--encoding", "both", "--thread", "read_flag", "--recover", "seen_has_data", "--thread"];
  expect(await prove(...words, "write_data_unflushed")).toBe(1);
  expect(await prove(...words, "write_data")).toBe(0);
});

test("safe: 0, and its proof holds", async () => {
  const proof = join(folder, "proof");
  expect(
    await prove("--thread", "publish(0)", "--thread", "publish(1)", "--recover", "head_is_whole", "--proof", proof),
  ).toBe(0);
  expect(output).toMatch(/^safe: /);
  expect(await proveCommand(["--check", proof])).toBe(0);
  expect(output).toContain(
    "head_is_whole never fails after a crash of publish(0) || publish(1), and no thread does: holds",
  );
});

test("no verdict and vacuous: 3, with the reason", async () => {
  expect(await prove("--thread", "write_data", "--recover", "nothing_to_check")).toBe(3);
  expect(output).toContain("vacuous");
  output = "";
  expect(await prove("--thread", "calls_the_system", "--recover", "flag_has_data")).toBe(3);
  expect(output).toMatch(/a system call: calls_the_system \(publish\.c:\d+\)/);
  output = "";
  expect(await prove("--thread", "stores_anywhere", "--recover", "flag_has_data", "--by", "solver")).toBe(3);
  expect(output).toMatch(/could be anything, at stores_anywhere \(publish\.c:\d+\)/);
});

test("a bound that is given is kept to, and the loop is named", async () => {
  const words = ["--thread", "write_data", "--thread", "wait_for_flag", "--recover", "seen_has_data"];
  expect(await prove(...words, "--bound", "3", "--json")).toBe(0);
  expect(JSON.parse(output)).toMatchObject({ answer: "safe up to the bound", bound: 3, places: [{ why: "a loop" }] });
});

test("what is not there is refused", async () => {
  await expect(prove("--thread", "nowhere", "--recover", "flag_has_data")).rejects.toThrow("no function nowhere");
  await expect(prove("--thread", "write_data")).rejects.toThrow("--recover FUNCTION");
  await expect(prove("--thread", "publish(x)", "--recover", "flag_has_data")).rejects.toThrow("NAME(1,0x10)");
});
