/** What is inserted where; what it does when it runs is compared with a twin in test/trace/patches.test.ts. */
import { expect, test } from "vitest";
import type { Op, PatchOp } from "../ir/index.ts";
import { liftBlock } from "./index.ts";

const start = 0x40_0000;

/** The block with these patches at its first instruction, as its patches with the kind of op before each. */
function patched(bytes: readonly number[], ...ops: readonly PatchOp[]) {
  const sites = ops.map((op, number) => ({ op, number }));
  const patches = { at: (address: number) => (address === start ? sites : []), covers: () => true };
  const block = liftBlock(Uint8Array.from(bytes), start, 64, { traced: true, patches })!;
  const isPatch = (op: Op): op is Op & { kind: "patch" } => op.kind === "patch";
  return {
    block,
    plain: liftBlock(Uint8Array.from(bytes), start, 64, { traced: true })!,
    found: block.ops.filter(isPatch).map(({ op, number, size }) => `${number}: ${op} ${size}`),
  };
}

const hlt = 0xf4;
test.each<readonly [string, readonly number[], PatchOp, readonly string[]]>([
  ["a store: what it stores to", [0x48, 0x89, 0x07, hlt], "clwb", ["0: clwb 8"]], // mov [rdi], rax
  ["a load: what it loads", [0x8b, 0x07, hlt], "clflushopt", ["0: clflushopt 4"]], // mov eax, [rdi]
  ["a change in memory: once", [0xf0, 0x01, 0x07, hlt], "clflush", ["0: clflush 4"]], // lock add [rdi], eax
  ["a string's step: its target", [0xa4, hlt], "clwb", ["0: clwb 1"]], // movsb
  ["ten bytes of x87, in one", [0xdb, 0x3f, hlt], "clwb", ["0: clwb 10"]], // fstp tbyte [rdi]
  ["no memory: no flush", [0x01, 0xc8, hlt], "clwb", []], // add eax, ecx
  ["no memory: a fence", [0x01, 0xc8, hlt], "sfence", ["0: sfence 0"]],
  ["a fence that is there already", [0x0f, 0xae, 0xf8], "sfence", []], // sfence
  ["another fence beside it", [0x0f, 0xae, 0xf8], "mfence", ["0: mfence 0"]],
  ["a repeated string: the machine's", [0xf3, 0xa4], "clwb", []], // rep movsb
  ["a system call: nothing", [0x0f, 0x05], "sfence", []],
])("%s", (_, bytes, op, expected) => {
  expect(patched(bytes, op).found).toEqual(expected);
});

test("several come in the order of the patches, and the rest stays as it was", () => {
  const { block, plain, found } = patched([0xe8, 0, 0, 0, 0], "clwb", "sfence"); // call: its return address is stored
  expect(found).toEqual(["0: clwb 8", "1: sfence 0"]);
  expect(block.ops.at(-1)).toMatchObject({ kind: "frames" });
  expect(block.ops.filter(({ kind }) => kind !== "patch").map(({ kind }) => kind)).toEqual(
    plain.ops.map(({ kind }) => kind),
  );
  expect({ ...block, ops: [] }).toEqual({ ...plain, ops: [] });
});
