/** Long pieces against element by element: the same instruction on the same memory, with ordinary memory and without. */
import { expect, test } from "vitest";
import { below, next32, pick, seedRandom } from "../../base/index.ts";
import { cpuOffset, flagsCode } from "../../isa/ir/index.ts";
import { decodeRun } from "../../isa/x86/index.ts";
import { GuestMemory } from "../memory/index.ts";
import { cpuAddress, createFloatHelpers, createRuntime, stop } from "../runtime/index.ts";
import { type ComplexContext, complexSemantics, createComplexContext } from "./index.ts";

const data = 0x50_0000;
const size = 0x3000;
const memory = new GuestMemory();
memory.map(data, size, 3);
memory.load(data, new Uint8Array(size));
const runtime = createRuntime(memory.wasm, {
  touch: (page) => memory.touch(page),
  mirror: () => undefined,
  emptyEvents: () => undefined,
  usesFull: () => undefined,
  complex: () => 0,
  slow: () => undefined,
  helpers: createFloatHelpers(memory.wasm.buffer),
});
const quick = createComplexContext(memory, runtime, () => 0n, "v2");
/** The same memory, none of it ordinary. */
const slow: ComplexContext = new Proxy(quick, {
  get: (target, name) => {
    if (name === "plainBytes") return () => 0;
    const value = Reflect.get(target, name, target);
    return typeof value === "function" ? value.bind(target) : value;
  },
});

const decode = (bytes: readonly number[]) => decodeRun(Uint8Array.from(bytes), 0x40_0000, 1)[0]!;

interface State {
  readonly bytes: string;
  readonly registers: readonly bigint[];
  readonly eflags: number;
  readonly stop: number;
}

function run(
  context: ComplexContext,
  encoding: readonly number[],
  start: Uint8Array,
  registers: readonly bigint[],
  down: boolean,
): State {
  memory.bytes.set(start, data);
  for (const [i, value] of registers.entries()) quick.writeGpr(i, value);
  memory.view.setUint32(cpuAddress(cpuOffset.flagsKind), flagsCode("raw", 32), true);
  memory.view.setBigUint64(cpuAddress(cpuOffset.flagsLeft), 0n, true);
  memory.view.setUint32(cpuAddress(cpuOffset.direction), down ? 1 : 0, true);
  const instruction = decode(encoding);
  const code = complexSemantics[instruction.mnemonic]!(context, instruction);
  return {
    bytes: Buffer.from(memory.bytes.subarray(data, data + size)).toString("latin1"),
    registers: registers.map((_, i) => quick.readGpr(i)),
    eflags: quick.readEflags(),
    stop: code,
  };
}

const prefixes = [[0xf3], [0xf2], [0x67, 0xf3]];
const opcodes = [
  [0xa4],
  [0xa5],
  [0x66, 0xa5],
  [0x48, 0xa5],
  [0xaa],
  [0xab],
  [0x48, 0xab],
  [0xac],
  [0x48, 0xad],
  [0xae],
  [0xaf],
  [0xa6],
  [0x48, 0xa7],
];

test("long pieces do what single elements do, overlaps and faults included", () => {
  const random = seedRandom(7);
  for (let round = 0; round < 400; round++) {
    const code = [...pick(random, prefixes), ...pick(random, opcodes)];
    const few = below(random, 4) === 0;
    const start = Uint8Array.from({ length: size }, () => (few ? next32(random) & 1 : next32(random)));
    const from = data + below(random, size);
    const to = below(random, 3) === 0 ? data + below(random, size) : from + below(random, 40) - 20;
    const count = BigInt(below(random, below(random, 2) ? 40 : size));
    const registers = [BigInt(next32(random)), count, 0n, 0n, 0n, 0n, BigInt(from), BigInt(to)];
    const down = below(random, 4) === 0;
    expect(run(quick, code, start, registers, down), `round ${round}`).toEqual(run(slow, code, start, registers, down));
  }
});

test("a copy that runs off the end of memory stops exactly there and can go on", () => {
  const start = new Uint8Array(size).fill(5);
  const registers = [0n, 100n, 0n, 0n, 0n, 0n, BigInt(data), BigInt(data + size - 10)];
  const state = run(quick, [0xf3, 0xa4], start, registers, false);
  expect(state.stop).toBe(stop.fault);
  expect(state.registers).toEqual([0n, 90n, 0n, 0n, 0n, 0n, BigInt(data + 10), BigInt(data + size)]);
});

test("a count of zero does nothing, whatever lies above ECX", () => {
  const registers = [0n, 0x5_0000_0000n, 0n, 0n, 0n, 0n, 1n, 1n];
  const state = run(quick, [0x67, 0xf3, 0xa6], new Uint8Array(size), registers, false);
  expect(state.stop).toBe(stop.none);
  expect(state.registers).toEqual(registers);
  expect(state.eflags & 0x8d5).toBe(0);
});
