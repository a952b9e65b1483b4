/**
 * Fused multiply-add. SDM vol. 2: VFMADD132PS and its kin. The digits of a name say which operands are the factors and which
 * the addend; the destination is the first operand, and a source too. And half precision: VCVTPH2PS, VCVTPS2PH.
 */
import type { Value } from "../../../ir/index.ts";
import type { Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { readScalar, type Scalar, type Vector } from "../sse/float.ts";
import { immediate, joinHalves, low, shuffleElements, splat, withLow } from "../sse/operands.ts";
import { hasLanes, readLanes, writeLanes } from "./operands.ts";

/** Positions of the factors, then of the addend; the first that is a NaN is the result. */
const orders = { "132": [0, 2, 1], "213": [1, 0, 2], "231": [1, 2, 0] } as const;

/** What is negated: the product, and the addend in even and odd elements. */
interface Signs {
  readonly product: boolean;
  readonly even: boolean;
  readonly odd: boolean;
}
const kinds: Readonly<Record<string, Signs>> = {
  fmadd: { product: false, even: false, odd: false },
  fmsub: { product: false, even: true, odd: true },
  fnmadd: { product: true, even: false, odd: false },
  fnmsub: { product: true, even: true, odd: true },
  fmaddsub: { product: false, even: true, odd: false },
  fmsubadd: { product: false, even: false, odd: true },
};

/** The other sign for numbers; a NaN stays as it is. */
const negated = (b: Builder, type: Vector, value: Value, signs: bigint): Value =>
  signs === 0n ? value : b.op("v128.xor", value, b.op("v128.and", b.op(`${type}.eq`, value, value), b.v128(signs)));

function signBits(type: Vector, even: boolean, odd: boolean): bigint {
  const bits = type === "f32x4" ? 32 : 64;
  const pair = (even ? 1n << BigInt(bits - 1) : 0n) | (odd ? 1n << BigInt(2 * bits - 1) : 0n);
  return splat(2 * bits, pair);
}

const packedFused =
  (type: Vector, order: readonly number[], { product, even, odd }: Signs): Lift =>
  (b, { operands }) => {
    const lanes = operands.map((operand) => readLanes(b, operand));
    const results = lanes[0]!.map((_, lane) => {
      const [first, second, addend] = order.map((position) => lanes[position]![lane]!);
      const left = negated(b, type, lane === 0 ? first! : b.otherLane(first!), signBits(type, product, product));
      return compute(b, type, [left, second!, negated(b, type, addend!, signBits(type, even, odd))]);
    });
    b.askForFloatTrap();
    writeLanes(b, operands[0]!, results);
  };

/** The result as a temporary, so that all lanes are done before anybody asks for exceptions. */
function compute(b: Builder, type: Vector, [left, right, addend]: readonly [Value, Value, Value]): Value {
  const result = b.temporary(b.v128(0n));
  b.writeChecked(result, b.op(`x86.${type}.fused`, left, right, addend));
  return b.readVector(result);
}

const vectors = { f32: "f32x4", f64: "f64x2" } as const;

const scalarFused =
  (type: Scalar, order: readonly number[], { product, even }: Signs): Lift =>
  (b, { operands }) => {
    const vector = vectors[type];
    const sign = (value: Value, isNegated: boolean): Value => {
      if (!isNegated) return value;
      const whole = negated(b, vector, withLow(b, type, b.v128(0n), value), signBits(vector, true, true));
      return low(b, type, whole);
    };
    const values = operands.map((operand) => readScalar(b, type, operand));
    const [first, second, addend] = order.map((position) => values[position]!);
    const result = b.op(`x86.${type}.fused`, sign(first!, product), second!, sign(addend!, even));
    const whole = withLow(b, type, b.readVector(operands[0]!), result);
    b.trapIf(b.op("x86.float_trap", whole), "float");
    writeLanes(b, operands[0]!, [whole]);
  };

const fusedRows = Object.entries(orders).flatMap(([digits, order]) =>
  Object.entries(kinds).flatMap(([kind, signs]): [string, Lift][] => {
    const name = `v${kind}${digits}`;
    const packed: [string, Lift][] = [
      [`${name}ps`, packedFused("f32x4", order, signs)],
      [`${name}pd`, packedFused("f64x2", order, signs)],
    ];
    if (signs.even !== signs.odd) return packed;
    return [
      ...packed,
      [`${name}ss`, scalarFused("f32", order, signs)],
      [`${name}sd`, scalarFused("f64", order, signs)],
    ];
  }),
);

// ── Half precision ────────────────────────────────────────────────────────────────────────────────────────────────

const fromHalves: Lift = (b, { operands: [destination, source] }) => {
  const halves = hasLanes(source!)
    ? readLanes(b, source!)[0]!
    : b.lane("i64x2.replace_lane", 0, b.v128(0n), b.read(source!));
  const convert = (four: Value): Value => {
    const result = b.temporary(b.v128(0n));
    b.writeChecked(result, b.op("x86.f32x4.from_f16x4", b.otherLane(four)));
    return b.readVector(result);
  };
  const results = [convert(halves)];
  if (destination!.kind === "ymm") results.push(convert(shuffleElements(b, 8, halves, halves, [1, 1])));
  b.askForFloatTrap();
  writeLanes(b, destination!, results);
};

const toHalves: Lift = (b, { operands: [destination, source, control] }) => {
  // A store that faults leaves no flag in MXCSR.
  if (destination!.kind === "mem") b.probe(b.address(destination!), destination!.size);
  const parts = readLanes(b, source!).map((lane) => {
    const result = b.temporary(b.v128(0n));
    b.writeChecked(result, b.op("x86.f32x4.to_f16x4", b.otherLane(lane), b.i32(immediate(control) & 7)));
    return b.readVector(result);
  });
  b.askForFloatTrap();
  const all = parts.length === 1 ? parts[0]! : joinHalves(b, parts[0]!, parts[1]!);
  writeHalves(b, destination!, all);
};

function writeHalves(b: Builder, destination: Operand, halves: Value): void {
  if (destination.kind === "mem" && destination.size === 8) b.write(destination, low(b, "i64", halves));
  else writeLanes(b, destination, [halves]);
}

export const fusedSemantics: Readonly<Record<string, Lift>> = {
  ...Object.fromEntries(fusedRows),
  vcvtph2ps: fromHalves,
  vcvtps2ph: toHalves,
};
