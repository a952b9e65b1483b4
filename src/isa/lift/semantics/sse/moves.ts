/**
 * Moves between vector registers, general registers and memory, streaming ones included. SDM vol. 2: MOVAPS, MOVD,
 * MOVHPS, MOVMSKPS, MOVNTDQ, MASKMOVDQU and their neighbours.
 */
import type { Value } from "../../../ir/index.ts";
import type { Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import {
  beginMmx,
  formOf,
  type Low,
  low,
  onlyLow,
  packedUnary,
  readMmx,
  readPacked,
  shuffleElements,
  withLow,
  writeMmx,
} from "./operands.ts";

const whole =
  (aligned: boolean): Lift =>
  (b, { operands: [destination, source] }) =>
    b.writeVector(destination!, b.readVector(source!, aligned), aligned ? { aligned } : {});

const streamed: Lift = (b, { operands: [destination, source] }) =>
  b.writeVector(destination!, b.readVector(source!), { aligned: true, nonTemporal: true });

const movnti: Lift = (b, { operands: [destination, source] }) => {
  if (destination?.kind !== "mem") return;
  const access = destination.size === 8 ? "i64.store" : "i32.store";
  b.store(access, b.address(destination), b.read(source!), { nonTemporal: true });
};

const movntq: Lift = (b, { operands: [destination, source] }) => {
  if (destination?.kind !== "mem" || source?.kind !== "mm") return;
  beginMmx(b);
  b.store("i64.store", b.address(destination), readMmx(b, source.index), { nonTemporal: true });
  b.call("mmx_enter");
};

/** Bytes chosen by a mask, streamed: as many stores as there are runs, which only the machine can make. */
const maskedStore: Lift = (b, { mnemonic, address, next }) => {
  b.exit = { kind: "complex", name: mnemonic, address, next };
};

/** The integer in a move's source: lane 0, an MMX register's lower part, a general register or memory. */
function moveSource(b: Builder, type: "i32" | "i64", source: Operand): Value {
  if (source.kind === "xmm") return low(b, type, b.readVector(source));
  if (source.kind !== "mm") return b.read(source);
  const value = readMmx(b, source.index);
  return type === "i64" ? value : b.op("i32.wrap_i64", value);
}

/** MOVD and MOVQ: whatever register receives them is cleared above. */
const moveInteger =
  (type: "i32" | "i64"): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const mmx = formOf(instruction) === "mm";
    if (mmx) beginMmx(b);
    const value = moveSource(b, type, source!);
    if (destination!.kind === "xmm") b.writeVector(destination!, onlyLow(b, type, value));
    else if (destination!.kind === "mm")
      writeMmx(b, destination!.index, type === "i64" ? value : b.op("i64.extend_i32_u", value));
    else b.write(destination!, value);
    if (mmx && destination!.kind !== "mm") b.call("mmx_enter");
  };

const movq2dq: Lift = (b, { operands: [destination, source] }) => {
  if (source?.kind !== "mm") return;
  beginMmx(b);
  b.writeVector(destination!, onlyLow(b, "i64", readMmx(b, source.index)));
  b.call("mmx_enter");
};
const movdq2q: Lift = (b, { operands: [destination, source] }) => {
  if (destination?.kind !== "mm") return;
  beginMmx(b);
  writeMmx(b, destination.index, low(b, "i64", b.readVector(source!)));
};

/** MOVSS and MOVSD: from memory they clear the rest of the register, between registers they keep it. */
const moveScalar =
  (float: "f32" | "f64", bits: "i32" | "i64"): Lift =>
  (b, { operands: [destination, source] }) => {
    if (destination!.kind === "mem") return b.write(destination!, low(b, bits, b.readVector(source!)));
    if (source!.kind === "mem") return b.writeVector(destination!, onlyLow(b, bits, b.read(source!)));
    const value: Value = low(b, float, b.readVector(source!));
    b.writeVector(destination!, withLow(b, float, b.readVector(destination!), value));
  };

const half: Record<"low" | "high", 0 | 1> = { low: 0, high: 1 };
/** MOVLPS and MOVHPS: one half of a register from or to memory. */
const moveHalf =
  (which: "low" | "high"): Lift =>
  (b, { operands: [destination, source] }) => {
    const lane = half[which];
    if (destination!.kind === "mem")
      return b.write(destination!, b.lane("i64x2.extract_lane", lane, b.readVector(source!)));
    const value = b.read(source!);
    b.writeVector(destination!, b.lane("i64x2.replace_lane", lane, b.readVector(destination!), value));
  };

const halves =
  (elements: readonly number[]): Lift =>
  (b, { operands: [destination, source] }) =>
    b.writeVector(destination!, shuffleElements(b, 8, b.readVector(destination!), b.readVector(source!), elements));

const duplicate = (size: number, elements: readonly number[]): Lift =>
  packedUnary((b, source) => shuffleElements(b, size, source, source, elements));

const movddup: Lift = (b, { operands: [destination, source] }) =>
  b.writeVector(destination!, b.op("i64x2.splat", low(b, "i64" satisfies Low, readPacked(b, source!))));

/** The lanes' top bits, in a general register of either size. */
const signMask =
  (name: "i8x16.bitmask" | "i32x4.bitmask" | "i64x2.bitmask"): Lift =>
  (b, instruction) => {
    const [destination, source] = instruction.operands;
    const mmx = formOf(instruction) === "mm";
    if (mmx) beginMmx(b);
    const all = b.op(name, readPacked(b, source!));
    const bits = mmx ? b.op("i32.and", all, b.i32(0xff)) : all;
    b.write(destination!, b.extend(bits, 32, b.width(destination!), false));
    if (mmx) b.call("mmx_enter");
  };

export const moveSemantics = {
  movaps: whole(true),
  movapd: whole(true),
  movdqa: whole(true),
  movups: whole(false),
  movupd: whole(false),
  movdqu: whole(false),
  lddqu: whole(false),
  movntdqa: whole(true),
  movntps: streamed,
  movntpd: streamed,
  movntdq: streamed,
  movntq,
  movnti,
  maskmovdqu: maskedStore,
  maskmovq: maskedStore,
  movd: moveInteger("i32"),
  movq: moveInteger("i64"),
  movq2dq,
  movdq2q,
  movss: moveScalar("f32", "i32"),
  movsd: moveScalar("f64", "i64"),
  movlps: moveHalf("low"),
  movlpd: moveHalf("low"),
  movhps: moveHalf("high"),
  movhpd: moveHalf("high"),
  movhlps: halves([3, 1]),
  movlhps: halves([0, 2]),
  movddup,
  movsldup: duplicate(4, [0, 0, 2, 2]),
  movshdup: duplicate(4, [1, 1, 3, 3]),
  pmovmskb: signMask("i8x16.bitmask"),
  movmskps: signMask("i32x4.bitmask"),
  movmskpd: signMask("i64x2.bitmask"),
} satisfies Record<string, Lift>;
