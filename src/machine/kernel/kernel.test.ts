/** The kernel driven by hand: the start of a program, simple calls, what is not supported. */
import { describe, expect, test } from "vitest";
import { Harness } from "../../../test/kernel/harness.ts";
import { InputError } from "../../base/index.ts";
import { errno } from "../files/index.ts";
import { gpr } from "../process/index.ts";
import { syscallTable } from "./index.ts";

describe("the start of a program", () => {
  test("the stack holds count, arguments, environment and auxiliary vector", () => {
    const harness = new Harness({ argv: ["program", "one"], environment: ["A=b"] });
    const { memory, kernel } = harness;
    const rsp = Number(kernel.cpu.gpr(gpr.rsp));
    const pointer = (index: number) => Number(memory.readU64(rsp + 8 * index));
    const text = (address: number) => new TextDecoder().decode(memory.readCString(address, 100) as Uint8Array);
    expect(rsp % 16).toBe(0);
    expect([pointer(0), text(pointer(1)), text(pointer(2)), pointer(3)]).toEqual([2, "program", "one", 0]);
    expect([text(pointer(4)), pointer(5)]).toEqual(["A=b", 0]);
    const auxiliary = new Map(Array.from({ length: 20 }, (_, i) => [pointer(6 + 2 * i), pointer(7 + 2 * i)]));
    expect(auxiliary.get(3)).toBe(0x40_0040);
    expect(auxiliary.get(6)).toBe(4096);
    expect(auxiliary.get(9)).toBe(0x40_0100);
    expect(text(auxiliary.get(15)!)).toBe("x86_64");
    expect(text(auxiliary.get(31)!)).toBe("/program");
    expect(kernel.cpu.rip).toBe(0x40_0100n);
  });

  test("data behind the file's part of a segment is zero", () => {
    const { memory } = new Harness();
    expect(memory.bytes[0x40_17ff]).toBe(0xaa);
    expect(memory.bytes[0x40_1800]).toBe(0);
    expect(memory.bytes[0x40_2800 - 1]).toBe(0);
    expect(memory.canWrite(0x40_1000, 0x1800)).toBe(true);
    expect(memory.canWrite(0x40_0000, 1)).toBe(false);
  });

  test("a program that is no ELF file is the user's mistake", () => {
    expect(() => new Harness({ program: new Uint8Array() })).toThrow(InputError);
  });
});

describe("calls", () => {
  test("every number Linux knows has a row, and the others fail with ENOSYS", () => {
    expect(syscallTable.length).toBeGreaterThan(350);
    for (const row of syscallTable) expect("run" in row || row.unsupported.length > 0, row.name).toBe(true);
    expect(new Harness().call(400)).toBe(-errno.ENOSYS);
    expect(new Harness().call(-1)).toBe(-errno.ENOSYS);
  });

  test("an unsupported call says so once per site, with the reason", () => {
    const harness = new Harness();
    expect(harness.call("fork")).toBe(-errno.ENOSYS);
    expect(harness.call("fork")).toBe(-errno.ENOSYS);
    expect(harness.notices).toHaveLength(1);
    expect(harness.notices[0]).toMatch(/fork at 0x4000fe \(program\+0xfe\).*one process/);
  });

  test("rcx and r11 hold the return address and the flags", () => {
    const harness = new Harness();
    harness.kernel.cpu.eflags = 0x202 | 0x41;
    harness.call("getpid");
    expect(harness.kernel.cpu.gpr(gpr.rcx)).toBe(harness.kernel.cpu.rip);
    expect(harness.kernel.cpu.gpr(gpr.r11)).toBe(0x243n);
  });

  test("write and exit_group", () => {
    const harness = new Harness();
    expect(harness.call("write", 1, harness.text("hello"), 5)).toBe(5);
    expect(harness.output.join("")).toBe("hello");
    expect(harness.start("exit_group", 7)).toEqual({ kind: "exit", code: 7 });
    expect(harness.kernel.schedule()).toEqual({ kind: "exit", code: 7 });
  });

  test("bad addresses fail with EFAULT and change nothing", () => {
    const harness = new Harness();
    expect(harness.call("write", 1, 0x10, 5)).toBe(-errno.EFAULT);
    expect(harness.call("write", 1, 2n ** 63n, 5)).toBe(-errno.EFAULT);
    expect(harness.call("write", 99, 0x10, 5)).toBe(-errno.EBADF);
    expect(harness.call("uname", 0x40_0000)).toBe(-errno.EFAULT);
    expect(harness.call("open", 0, 0)).toBe(-errno.EFAULT);
    expect(harness.output.join("")).toBe("");
  });

  test("a write that runs into unmapped memory stops there", () => {
    const harness = new Harness();
    const page = harness.call("mmap", 0, 0x2000, 3, 0x22, -1, 0);
    harness.call("munmap", page + 0x1000, 0x1000);
    harness.memory.load(page + 0xffe, new Uint8Array([65, 66]));
    expect(harness.call("write", 1, page + 0xffe, 10)).toBe(2);
    expect(harness.output.join("")).toBe("AB");
  });
});
