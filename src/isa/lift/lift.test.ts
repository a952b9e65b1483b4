/** How blocks are cut and what is refused; what instructions do is compared with the real processor in test/cpu. */
import { expect, test } from "vitest";
import { liftBlock, maxBlockOps } from "./index.ts";

const lift = (bytes: readonly number[], limit?: number) => liftBlock(Uint8Array.from(bytes), 0x40_0000, limit)!;
const liftForV2 = (bytes: readonly number[]) =>
  liftBlock(Uint8Array.from(bytes), 0x40_0000, undefined, { traced: false, level: "v2" })!;
const nop = 0x90;
const ret = 0xc3;

test("a block ends at a branch, with its addresses", () => {
  const { exit, end, instructions } = lift([0x39, 0xc8, 0x75, 0x10, nop]); // cmp eax, ecx; jne +16
  expect(exit).toMatchObject({ kind: "branch", target: 0x40_0014, otherwise: 0x40_0004 });
  expect([end, instructions]).toEqual([0x40_0004, 2]);
});

test("a condition after its comparison is computed from the operands", () => {
  const { ops } = lift([0x39, 0xc8, 0x72, 0x10]); // cmp eax, ecx; jb
  expect(ops.some((op) => op.kind === "pure" && op.op === "i32.lt_u")).toBe(true);
  expect(ops.some((op) => op.kind === "condition")).toBe(false);
});

test("a run without branches ends at the limit and goes on behind it", () => {
  expect(lift(Array(10).fill(nop), 4).exit).toEqual({ kind: "goto", target: 0x40_0004 });
});

test("long instructions end a block before its values outgrow their area", () => {
  const crc32 = [0xf2, 0x48, 0x0f, 0x38, 0xf1, 0xc1];
  const { ops, instructions } = lift(Array.from({ length: 64 }, () => crc32).flat());
  expect(instructions).toBeLessThan(64);
  expect(ops.length).toBeLessThan(maxBlockOps + 512);
});

test("an instruction cut off by the end of memory is not lifted", () => {
  expect(liftBlock(Uint8Array.from([0x48]), 0x40_0000)).toBeUndefined();
  expect(lift([nop, 0x48]).exit).toEqual({ kind: "goto", target: 0x40_0001 });
});

test("what the processor lacks is refused by name, and newer vector code with advice", () => {
  expect(lift([0xc5, 0xf8, 0x77]).exit).toMatchObject({ kind: "goto" });
  expect(liftForV2([0xc5, 0xf8, 0x77]).exit).toMatchObject({
    kind: "trap",
    trap: "undefined",
    reason: expect.stringMatching(/vzeroupper.*-march=x86-64-v2/),
  });
  expect(lift([0x0f, 0xc7, 0xf0]).exit).toMatchObject({ reason: expect.stringContaining("rdrand") });
});

test.each([
  ["lock add [rax], ecx", [0xf0, 0x01, 0x08]],
  ["xchg [rax], ecx", [0x87, 0x08]],
  ["lock xchg [rax], ecx", [0xf0, 0x87, 0x08]],
  ["lock bts [rax], ecx", [0xf0, 0x0f, 0xab, 0x08]],
  ["lock cmpxchg [rax], ecx", [0xf0, 0x0f, 0xb1, 0x08]],
  ["lock cmpxchg16b [rax]", [0xf0, 0x48, 0x0f, 0xc7, 0x08]],
])("%s drains once, where only its store is left to do", (_, bytes) => {
  const kinds = lift([...bytes, ret]).ops.map(({ kind }) => kind);
  const probe = kinds.indexOf("probe");
  expect(kinds.slice(probe, probe + 3)).toEqual(["probe", "fence", "store"]);
  expect(kinds.filter((kind) => kind === "fence")).toHaveLength(1);
});

test("a compare-and-exchange that fails faults as a store and stores nothing", () => {
  const { ops } = lift([0x0f, 0xb1, 0x08, ret]); // cmpxchg [rax], ecx
  const probe = ops.findIndex(({ kind }) => kind === "probe");
  expect(ops[probe + 1]).toMatchObject({ kind: "store", when: expect.any(Number) });
  expect(ops.some(({ kind }) => kind === "fence")).toBe(false);
});

test("LOCK where it may not stand is undefined", () => {
  expect(lift([0xf0, 0x01, 0xc8]).exit).toMatchObject({ kind: "trap", trap: "undefined" }); // lock add eax, ecx
});

test("TZCNT and LZCNT are BSF and BSR where the processor lacks them", () => {
  for (const opcode of [0xbc, 0xbd]) {
    const [newer, older] = [0xf3, 0x3e].map((prefix) => [prefix, 0x0f, opcode, 0xc1, ret] as const);
    expect(liftForV2(newer!)).toEqual(liftForV2(older!));
    expect(lift(newer!)).not.toEqual(lift(older!));
  }
});

test.each([
  ["hlt", [0xf4], "protection"],
  ["in al, dx", [0xec], "protection"],
  ["mov cr0, rax", [0x0f, 0x22, 0xc0], "protection"],
  ["ud2", [0x0f, 0x0b], "undefined"],
  ["int3", [0xcc], "breakpoint"],
])("%s traps", (_, bytes, trap) => {
  expect(lift(bytes).exit).toMatchObject({ kind: "trap", trap, address: 0x40_0000 });
});
