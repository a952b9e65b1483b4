/** WebAssembly's commonest scalar operations on bits as bigints. Their slow twin is WebAssembly itself (isa/ir/bits-unit.ts). */
import type { NumericName } from "../../isa/wasm/index.ts";

type Operation = (a: bigint, b: bigint) => bigint;

const truth = (holds: boolean): bigint => (holds ? 1n : 0n);

function operationsOf(bits: number): Readonly<Record<string, Operation>> {
  const cut = (value: bigint) => BigInt.asUintN(bits, value);
  const signed = (value: bigint) => BigInt.asIntN(bits, value);
  const distances = BigInt(bits - 1);
  return {
    add: (a, b) => cut(a + b),
    sub: (a, b) => cut(a - b),
    mul: (a, b) => cut(a * b),
    and: (a, b) => a & b,
    or: (a, b) => a | b,
    xor: (a, b) => a ^ b,
    shl: (a, b) => cut(a << (b & distances)),
    shr_u: (a, b) => a >> (b & distances),
    shr_s: (a, b) => cut(signed(a) >> (b & distances)),
    eqz: (a) => truth(a === 0n),
    eq: (a, b) => truth(a === b),
    ne: (a, b) => truth(a !== b),
    lt_u: (a, b) => truth(a < b),
    le_u: (a, b) => truth(a <= b),
    gt_u: (a, b) => truth(a > b),
    ge_u: (a, b) => truth(a >= b),
    lt_s: (a, b) => truth(signed(a) < signed(b)),
    le_s: (a, b) => truth(signed(a) <= signed(b)),
    gt_s: (a, b) => truth(signed(a) > signed(b)),
    ge_s: (a, b) => truth(signed(a) >= signed(b)),
    extend8_s: (a) => cut(BigInt.asIntN(8, a)),
    extend16_s: (a) => cut(BigInt.asIntN(16, a)),
  };
}

const named = (type: string, bits: number): [string, Operation][] =>
  Object.entries(operationsOf(bits)).map(([name, operation]) => [`${type}.${name}`, operation]);

export const quickOperations: Partial<Record<NumericName, Operation>> = {
  ...Object.fromEntries([...named("i32", 32), ...named("i64", 64)]),
  "i32.wrap_i64": (a) => BigInt.asUintN(32, a),
  "i64.extend_i32_u": (a) => a,
  "i64.extend_i32_s": (a) => BigInt.asUintN(64, BigInt.asIntN(32, a)),
  "i64.extend32_s": (a) => BigInt.asUintN(64, BigInt.asIntN(32, a)),
};
