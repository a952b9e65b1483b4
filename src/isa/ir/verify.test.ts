/** Each invariant, broken in a block that is right without it. Blocks of all instructions are verified in test/ir. */
import { expect, test } from "vitest";
import type { Block, Exit, Op, Value } from "./index.ts";
import { control, gprs, verifyBlock, xmms } from "./index.ts";
import { blockProblems } from "./verify.ts";

const start = 0x40_0000;
const at = (value: number) => value as Value;
const [rax, rcx] = [gprs[0]!, gprs[1]!];

/** mov [rax], rcx: two bytes, and whatever a case adds. */
const inst: Op = { kind: "inst", address: start, length: 2 };
const getAddress: Op = { kind: "get", register: rax };
const getValue: Op = { kind: "get", register: rcx };
const store: Op = { kind: "store", access: "i64.store", address: at(1), value: at(2) };
const right: readonly Op[] = [inst, getAddress, getValue, store];

const block = (ops: readonly Op[], exit: Exit = { kind: "goto", target: start + 2 }, changes = {}): Block => ({
  start,
  end: start + 2,
  instructions: 1,
  ops,
  exit,
  ...changes,
});
const i32: Op = { kind: "const", type: "i32", value: 1n };
const put: Op = { kind: "put", register: rcx, value: at(1) };
const load: Op = { kind: "load", access: "i64.load", address: at(1) };
const vector: Op = { kind: "get", register: xmms[0]! };
const patch: Op = { kind: "patch", op: "clwb", number: 0, address: at(1), size: 8 };
const pure = (op: string, args: readonly number[], lane?: number): Op =>
  ({ kind: "pure", op, args, ...(lane !== undefined && { lane }) }) as Op;

test("a right block has nothing wrong with it", () => {
  expect(blockProblems(block(right))).toEqual([]);
  expect(() => verifyBlock(block([]))).toThrow(
    "ir: the first op begins no instruction\nblock 0x400000 to 0x400002\ngoto 0x400002\n",
  );
});

const wrongOps: readonly (readonly [string, readonly Op[], RegExp])[] = [
  ["1: a value of later", [inst, { ...load, address: at(2) }, getAddress], /op 1 \(load\) uses 2, which is no value/],
  ["1: an op without a value", [inst, { ...load, address: at(0) }], /uses 0, which is no value/],
  ["2: another type", [inst, i32, { ...load, address: at(1) }], /uses an i32 where it needs an i64/],
  ["2: an argument too few", [inst, getAddress, pure("i64.add", [1])], /has 1 arguments, not 2/],
  ["3: a constant too large", [inst, { ...i32, value: 1n << 31n }], /does not fit an i32/],
  ["3: a constant of f32", [inst, { kind: "const", type: "f32", value: 0n }], /constant of type f32/],
  ["4: no lane", [inst, vector, pure("i64x2.extract_lane", [1])], /has no lane undefined/],
  ["4: a lane beyond the last", [inst, vector, pure("i64x2.extract_lane", [1], 2)], /has no lane 2/],
  ["4: a lane too much", [inst, getAddress, pure("i64.eqz", [1], 0)], /takes no lane/],
  [
    "4: a shuffle of few lanes",
    [inst, vector, { kind: "shuffle", left: at(1), right: at(1), lanes: [32] }],
    /wrong lanes/,
  ],
  ["5: MXCSR as a register", [inst, { kind: "get", register: control.mxcsr }], /names mxcsr/],
  ["6: a register got again", [inst, getAddress, getAddress], /whose value the block has/],
  ["7: a gap", [{ ...inst, address: start + 1, length: 1 }], /leaves a gap/],
  ["7: an instruction without bytes", [{ ...inst, length: 0 }], /has 0 bytes/],
  ["9: a load after a put", [inst, getAddress, put, load], /op 3 \(load\) can fault after a register/],
  ["9: a load after a store", [...right, load], /op 4 \(load\) can fault after a store/],
  ["9: a store after a store", [...right, store], /op 4 \(store\) can fault after a store/],
  ["9: a condition without a probe", [...right.slice(0, 3), i32, { ...store, when: at(3) }], /and no probe before it/],
  ["10: a division", [inst, getAddress, pure("i64.div_u", [1, 1])], /divides without a trap/],
  ["11: a float trap for nothing", [inst, vector, pure("x86.float_trap", [1])], /float trap that does not follow/],
  ["12: an aligned narrow load", [inst, getAddress, { ...load, aligned: true }], /alignment of a narrow access/],
  [
    "12: a non-temporal byte",
    [inst, getAddress, i32, { ...store, access: "i32.store8", nonTemporal: true }],
    /cannot be non-temporal/,
  ],
  ["13: a probe of nothing", [inst, getAddress, { kind: "probe", address: at(1), size: 0 }], /probes 0 bytes/],
  ["14: a patch in the middle", [inst, getAddress, patch, load], /op 3 \(load\) comes after a patch/],
  ["14: a flush of nothing", [inst, getAddress, { ...patch, size: 0 }], /covers 0 bytes/],
  ["17: frames within a block", [...right, { kind: "frames", stack: at(1) }], /tells of no call or return/],
];

test.each(wrongOps)("%s", (_, ops, problem) => {
  expect(blockProblems(block(ops))).toEqual(expect.arrayContaining([expect.stringMatching(problem)]));
});

test("9: a store may follow a store that a probe vouches for", () => {
  const probe: Op = { kind: "probe", address: at(1), size: 8 };
  expect(blockProblems(block([inst, getAddress, getValue, probe, store, store]))).toEqual([]);
});

const wrongExits: readonly (readonly [string, Exit, RegExp])[] = [
  ["15: a branch on an i64", { kind: "branch", when: at(1), target: 0, otherwise: start + 2 }, /needs an i32/],
  ["15: a jump to nothing", { kind: "jump", target: at(0) }, /uses an undefined where it needs an i64/],
  ["15: two targets", { kind: "call", target: at(1), known: 5, returnTo: start + 2 }, /two targets/],
  [
    "16: a call that returns elsewhere",
    { kind: "call", target: undefined, known: 5, returnTo: start },
    /not at its end/,
  ],
  ["16: a trap elsewhere", { kind: "trap", trap: "undefined", address: 5, reason: "" }, /another instruction/],
  ["16: no address", { kind: "goto", target: -1 }, /names no address/],
];

test.each(wrongExits)("%s", (_, exit, problem) => {
  expect(blockProblems(block(right, exit))).toEqual([expect.stringMatching(problem)]);
});

test("7 and 8: a block counts its instructions and has few enough ops", () => {
  expect(blockProblems(block(right, undefined, { instructions: 2 }))).toEqual(["has 1 instructions and says 2"]);
  expect(blockProblems(block(right, undefined, { end: start + 3 }))[0]).toMatch(/ends at 0x400003/);
  expect(blockProblems(block([inst, ...Array.from({ length: 0x4000 }, () => i32)]))).toEqual(["has 16385 ops"]);
  const vectors = Array.from({ length: 0xf01 }, () => pure("i8x16.splat", [1]));
  expect(blockProblems(block([inst, i32, ...vectors]))).toEqual(["needs 61456 bytes of temporaries"]);
});
