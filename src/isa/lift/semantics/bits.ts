/**
 * Bit tests and counts. SDM vol. 2: BT BTC BTR BTS, BSF, BSR, POPCNT. With a register offset, a memory operand is a bit
 * string that reaches in both directions (vol. 1 §4.8). TZCNT and LZCNT are BSF and BSR on a processor without BMI1 and LZCNT.
 */
import { eflagsBit, gprs, type Value, type Width } from "../../ir/index.ts";
import type { Memory, Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { atBit, lowWord } from "./operands.ts";

/** Where the tested word lies: whole words away from the operand, counted with sign. */
function bitStringAddress(b: Builder, memory: Memory, width: Width, offset: Value): Value {
  const signedOffset = b.extend(offset, width, 64, true);
  const words = b.op("i64.shr_s", signedOffset, b.i64(Math.log2(width)));
  return b.address(memory, b.op("i64.shl", words, b.i64(Math.log2(width / 8))));
}

function locate(b: Builder, dst: Operand, width: Width, bit: Operand, offset: Value) {
  if (dst.kind !== "mem") return { value: b.read(dst), write: (value: Value) => b.write(dst, value) };
  const address = bit.kind === "imm" ? b.address(dst) : bitStringAddress(b, dst, width, offset);
  return { value: b.loadInt(width, address), write: (value: Value) => b.storeInt(width, address, value) };
}

type Gpr = Extract<Operand, { kind: "gpr" }>;
type Change = (b: Builder, width: Width, value: Value, mask: Value) => Value;

/** CF ← the bit; ZF stays. The others are undefined: OF is cleared, because CF and OF travel together (isa/ir/flags.ts). */
const bitTest =
  (change?: Change): Lift =>
  (b, { operands: [dst, bit] }) => {
    const width = b.width(dst!);
    const offset = b.read(bit!, width);
    const { value, write } = locate(b, dst!, width, bit!, offset);
    const position = b.int(width, "and", offset, b.constant(width, width - 1));
    const tested = b.op("i32.and", lowWord(b, width, b.int(width, "shr_u", value, position)), b.i32(1));
    if (change) write(change(b, width, value, b.int(width, "shl", b.constant(width, 1), position)));
    b.setCarryAndOverflow(tested, b.i32(0));
  };

/** The destination keeps its value when the source is 0; ZF says so. */
const scan =
  (forward: boolean): Lift =>
  (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const source = b.read(src!);
    const counted = b.int(width, forward ? "ctz" : "clz", source);
    const index = forward ? counted : b.int(width, "xor", counted, b.constant(width, width === 64 ? 63 : 31));
    const old = b.get(gprs[(dst as Gpr).index]!);
    b.write(dst!, index);
    const fresh = b.get(gprs[(dst as Gpr).index]!);
    b.put(gprs[(dst as Gpr).index]!, b.select(b.int(width, "eqz", source), old, fresh));
    b.setFlags("logic", width, source, source, source);
  };

const popcnt: Lift = (b, { operands: [dst, src] }) => {
  const width = b.width(dst!);
  const source = b.read(src!);
  b.write(dst!, b.int(width, "popcnt", source));
  b.setRawFlags(atBit(b, b.int(width, "eqz", source), eflagsBit.z));
};

/** Zeros from one end, the operand's width if there is nothing else. CF: the source is 0; ZF: the result is. */
const countZeros =
  (forward: boolean): Lift =>
  (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const source = b.read(src!);
    const zeros = forward ? trailingZeros(b, width, source) : leadingZeros(b, width, source);
    b.write(dst!, zeros);
    const zero = atBit(b, b.int(width, "eqz", zeros), eflagsBit.z);
    b.setRawFlags(b.op("i32.or", zero, atBit(b, b.int(width, "eqz", source), eflagsBit.c)));
  };
const trailingZeros = (b: Builder, width: Width, source: Value): Value =>
  b.int(width, "ctz", width === 16 ? b.op("i32.or", source, b.i32(0x1_0000)) : source);
const leadingZeros = (b: Builder, width: Width, source: Value): Value => {
  const zeros = b.int(width, "clz", source);
  return width === 16 ? b.op("i32.sub", zeros, b.i32(16)) : zeros;
};

/** With BMI1 and LZCNT, what was BSF and BSR with a prefix without meaning counts. */
export const countSemantics = { tzcnt: countZeros(true), lzcnt: countZeros(false) } satisfies Record<string, Lift>;

export const bitSemantics = {
  bt: bitTest(),
  bts: bitTest((b, width, value, mask) => b.int(width, "or", value, mask)),
  btr: bitTest((b, width, value, mask) =>
    b.int(width, "and", value, b.int(width, "xor", mask, b.constant(width, -1n))),
  ),
  btc: bitTest((b, width, value, mask) => b.int(width, "xor", value, mask)),
  bsf: scan(true),
  tzcnt: scan(true),
  bsr: scan(false),
  lzcnt: scan(false),
  popcnt,
} satisfies Record<string, Lift>;
