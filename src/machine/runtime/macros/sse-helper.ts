/**
 * The helper `sse`: a floating-point macro under MXCSR control bits other than the default, or where its status flags are
 * kept, lane by lane in exact software arithmetic. Operands, result and MXCSR are in the CPU block. Always:
 * - Status flags are added to MXCSR; an unmasked one also sets `cell.floatTrap`, and then the result means nothing.
 * - Once an unmasked one was met nothing is done: an instruction stops at its first exception. Only the other lane of a YMM
 *   register (`x86.float_lane`) is looked at as well, since what is raised there counts with the first lane's: an invalid
 *   operand in one keeps the other from being inexact (SDM vol. 1, 11.5.2).
 */
import {
  cpuOffset,
  type FloatMacroName,
  floatMacroNames,
  mxcsr as modeBits,
  raisedMxcsr,
  visibleMxcsr,
} from "../../../isa/ir/index.ts";
import {
  combineLanes,
  type FloatResult,
  type SseFormat,
  sseAdd,
  sseCompare,
  sseConvert,
  sseDivide,
  sseFromHalf,
  sseFromInteger,
  sseFused,
  sseMaximum,
  sseMinimum,
  sseMultiply,
  sseOrder,
  sseRound,
  sseSquareRoot,
  sseSubtract,
  sseToHalf,
  sseToInteger,
} from "../../../isa/softfloat/index.ts";
import { cell, floatTrap, layout } from "../layout.ts";

interface Operands {
  readonly left: bigint;
  readonly right: bigint;
  readonly addend: bigint;
  readonly lane: number;
  readonly control: number;
  readonly mxcsr: number;
}
interface Row {
  readonly lanes: number;
  /** Bytes of an operand's lane and of a result's. */
  readonly from: 2 | 4 | 8;
  readonly to: 2 | 4 | 8;
  readonly compute: (o: Operands) => FloatResult;
}

type Shape = "f32" | "f64" | "f32x4" | "f64x2";
const shapes = {
  f32: { format: "binary32", size: 4, lanes: 1 },
  f64: { format: "binary64", size: 8, lanes: 1 },
  f32x4: { format: "binary32", size: 4, lanes: 4 },
  f64x2: { format: "binary64", size: 8, lanes: 2 },
} as const satisfies Record<Shape, { format: SseFormat; size: 4 | 8; lanes: number }>;

type Binary = (format: SseFormat, a: bigint, b: bigint, mxcsr: number) => FloatResult;
const addOrSubtract = (lane: number): Binary => (lane % 2 === 0 ? sseSubtract : sseAdd);

const orderBits = { less: 1n, equal: 0x40n, greater: 0n, unordered: 0x45n } as const;

/** The operations that keep their operands' shape. */
const sameShape: Readonly<Record<string, (format: SseFormat, o: Operands) => FloatResult>> = {
  add: (format, o) => sseAdd(format, o.left, o.right, o.mxcsr),
  sub: (format, o) => sseSubtract(format, o.left, o.right, o.mxcsr),
  mul: (format, o) => sseMultiply(format, o.left, o.right, o.mxcsr),
  div: (format, o) => sseDivide(format, o.left, o.right, o.mxcsr),
  min: (format, o) => sseMinimum(format, o.left, o.right, o.mxcsr),
  max: (format, o) => sseMaximum(format, o.left, o.right, o.mxcsr),
  fused: (format, o) => sseFused(format, o.left, o.right, o.addend, o.mxcsr),
  sqrt: (format, o) => sseSquareRoot(format, o.left, o.mxcsr),
  round: (format, o) => sseRound(format, o.left, o.control, o.mxcsr),
  addsub: (format, o) => addOrSubtract(o.lane)(format, o.left, o.right, o.mxcsr),
  compare: (format, o) => sseCompare(format, o.left, o.right, o.control, o.mxcsr),
};

const order = (format: SseFormat, o: Operands): FloatResult => {
  const { order, flags } = sseOrder(format, o.left, o.right, o.control !== 0, o.mxcsr);
  return { bits: orderBits[order], flags };
};
const truth = (format: SseFormat, o: Operands): FloatResult => {
  const { bits, flags } = sseCompare(format, o.left, o.right, o.control, o.mxcsr);
  return { bits: bits & 1n, flags };
};

const convert = (lanes: number, from: "f32" | "f64", to: "f32" | "f64"): Row => ({
  lanes,
  from: shapes[from].size,
  to: shapes[to].size,
  compute: (o) => sseConvert(shapes[from].format, shapes[to].format, o.left, o.mxcsr),
});
const toInteger = (shape: Shape, size: 4 | 8, truncate: boolean): Row => ({
  lanes: shapes[shape].lanes,
  from: shapes[shape].size,
  to: size,
  compute: (o) => sseToInteger(shapes[shape].format, o.left, size === 4 ? 32 : 64, truncate, o.mxcsr),
});
const fromInteger = (size: 4 | 8, shape: Shape): Row => ({
  lanes: shapes[shape].lanes,
  from: size,
  to: shapes[shape].size,
  compute: (o) => sseFromInteger(shapes[shape].format, BigInt.asIntN(size * 8, o.left), o.mxcsr),
});

const conversions: Partial<Record<FloatMacroName, Row>> = {
  "x86.f64.from_f32": convert(1, "f32", "f64"),
  "x86.f32.from_f64": convert(1, "f64", "f32"),
  "x86.f64x2.from_f32x4": convert(2, "f32", "f64"),
  "x86.f32x4.from_f64x2": convert(2, "f64", "f32"),
  "x86.f32x4.from_f16x4": { lanes: 4, from: 2, to: 4, compute: (o) => sseFromHalf(o.left, o.mxcsr) },
  "x86.f32x4.to_f16x4": { lanes: 4, from: 4, to: 2, compute: (o) => sseToHalf(o.left, o.control, o.mxcsr) },
  "x86.f32.from_i32": fromInteger(4, "f32"),
  "x86.f32.from_i64": fromInteger(8, "f32"),
  "x86.f64.from_i64": fromInteger(8, "f64"),
  "x86.f32x4.from_i32x4": fromInteger(4, "f32x4"),
  "x86.f32.to_i32": toInteger("f32", 4, false),
  "x86.f32.to_i64": toInteger("f32", 8, false),
  "x86.f64.to_i32": toInteger("f64", 4, false),
  "x86.f64.to_i64": toInteger("f64", 8, false),
  "x86.f32.trunc_i32": toInteger("f32", 4, true),
  "x86.f32.trunc_i64": toInteger("f32", 8, true),
  "x86.f64.trunc_i32": toInteger("f64", 4, true),
  "x86.f64.trunc_i64": toInteger("f64", 8, true),
  "x86.f32x4.to_i32x4": toInteger("f32x4", 4, false),
  "x86.f32x4.trunc_i32x4": toInteger("f32x4", 4, true),
  "x86.f64x2.to_i32x4": toInteger("f64x2", 4, false),
  "x86.f64x2.trunc_i32x4": toInteger("f64x2", 4, true),
};

function rowOf(name: FloatMacroName): Row {
  const conversion = conversions[name];
  if (conversion) return conversion;
  const [, shape, operation] = name.split(".") as [string, Shape, string];
  const { format, size, lanes } = shapes[shape];
  if (operation === "order") return { lanes, from: size, to: 4, compute: (o) => order(format, o) };
  if (operation === "compare" && lanes === 1) return { lanes, from: size, to: 4, compute: (o) => truth(format, o) };
  const compute = sameShape[operation]!;
  return { lanes, from: size, to: size, compute: (o) => compute(format, o) };
}

const rows: readonly Row[] = floatMacroNames.map(rowOf);

export interface SseHelpers {
  readonly sse: (macro: number, control: number) => number;
  readonly mxcsr_read: () => number;
}

export function createSseHelpers(memory: ArrayBufferLike): SseHelpers {
  const cpu = new DataView(memory, layout.cpu, cell.temporaries);
  const readLane = (at: number, size: 2 | 4 | 8, lane: number): bigint => {
    if (size === 8) return cpu.getBigUint64(at + 8 * lane, true);
    return BigInt(size === 4 ? cpu.getUint32(at + 4 * lane, true) : cpu.getUint16(at + 2 * lane, true));
  };
  const writeLane = (size: 2 | 4 | 8, lane: number, bits: bigint): void => {
    if (size === 2) cpu.setUint16(cell.floatResult + 2 * lane, Number(bits), true);
    else if (size === 4) cpu.setUint32(cell.floatResult + 4 * lane, Number(bits), true);
    else cpu.setBigUint64(cell.floatResult + 8 * lane, bits, true);
  };
  const sse = (macro: number, control: number): number => {
    const state = cpu.getInt32(cell.floatTrap, true);
    const isOtherLane = (state & floatTrap.otherLane) !== 0;
    if (state & floatTrap.pending && !isOtherLane) return 0;
    const { lanes, from, to, compute } = rows[macro]!;
    const isJoined = isOtherLane && (state & floatTrap.noted) !== 0;
    const register = cpu.getUint32(isJoined ? cell.floatMxcsr : cpuOffset.mxcsr, true);
    const mxcsr = visibleMxcsr(register);
    const flags: number[] = isJoined ? [(state >>> floatTrap.flagsShift) & 0x3f] : [];
    cpu.setBigUint64(cell.floatResult, 0n, true);
    cpu.setBigUint64(cell.floatResult + 8, 0n, true);
    for (let lane = 0; lane < lanes; lane++) {
      const left = readLane(cell.floatLeft, from, lane);
      const right = readLane(cell.floatRight, from, lane);
      const addend = readLane(cell.floatAddend, from, lane);
      const result = compute({ left, right, addend, lane, control, mxcsr });
      writeLane(to, lane, result.bits);
      flags.push(result.flags);
    }
    const raised = combineLanes(flags, mxcsr);
    // Where flags are not kept, the short way leaves none either.
    if ((register & modeBits.mode) === modeBits.initial) return 0;
    cpu.setUint32(cpuOffset.mxcsr, raisedMxcsr(register, raised), true);
    const unmasked = ~(mxcsr >>> 7) & 0x3f;
    if (unmasked === 0) return 0;
    // For the other lane, or to trap: with all exceptions masked nobody asks.
    const all = flags.reduce((left, right) => left | right, 0);
    const pending = raised & unmasked ? floatTrap.pending : 0;
    cpu.setInt32(cell.floatTrap, pending | floatTrap.noted | (all << floatTrap.flagsShift), true);
    cpu.setUint32(cell.floatMxcsr, register, true);
    return 0;
  };
  return {
    sse,
    mxcsr_read: () => visibleMxcsr(cpu.getUint32(cpuOffset.mxcsr, true)),
  };
}
