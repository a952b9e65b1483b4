/** Moves and conversions between sizes; none touches flags. SDM vol. 2: MOV MOVZX MOVSX LEA CMOVcc SETcc BSWAP CBW CWD. */
import { type Condition, conditions, gprs, type Value, type Width } from "../../ir/index.ts";
import type { Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { accumulator, data, segmentSelectors } from "./operands.ts";
import { protection } from "./traps.ts";

const extend =
  (signed: boolean): Lift =>
  (b, { operands: [dst, src] }) =>
    b.write(dst!, b.extend(b.read(src!), b.width(src!), b.width(dst!), signed));

/** CBW CWDE CDQE: the accumulator's lower half, sign-extended into the whole. */
const widenAccumulator =
  (to: Width): Lift =>
  (b) =>
    b.write(accumulator(to), b.extend(b.read(accumulator((to / 2) as Width)), (to / 2) as Width, to, true));

/** CWD CDQ CQO: every bit of the data register becomes the accumulator's sign. */
const spreadSign =
  (width: Width): Lift =>
  (b) => {
    const value = b.signed(width, b.read(accumulator(width)));
    const shift = b.constant(width, width === 64 ? 63 : 31);
    b.write(data(width), b.narrow(width, b.int(width, "shr_s", value, shift)));
  };

const setcc =
  (condition: Condition): Lift =>
  (b, { operands: [dst] }) =>
    b.write(dst!, b.condition(condition));

/** The source is read, and may fault, even when nothing is moved; a 32-bit destination is zero-extended regardless. */
const cmovcc =
  (condition: Condition): Lift =>
  (b, { operands: [dst, src] }) => {
    const value = b.read(src!);
    b.write(dst!, b.select(b.condition(condition), value, b.read(dst!)));
  };

function swapped(b: Builder, width: Width, value: Value): Value {
  if (width === 64) {
    const vector = b.op("i64x2.splat", value);
    const turned = b.shuffle(vector, vector, [7, 6, 5, 4, 3, 2, 1, 0, 15, 14, 13, 12, 11, 10, 9, 8]);
    return b.lane("i64x2.extract_lane", 0, turned);
  }
  const even = b.op("i32.and", b.op("i32.rotl", value, b.i32(8)), b.i32(0x00ff00ff));
  const odd = b.op("i32.and", b.op("i32.rotl", value, b.i32(24)), b.i32(0xff00ff00));
  const all = b.op("i32.or", even, odd);
  return width === 16 ? b.op("i32.shr_u", all, b.i32(16)) : all;
}

function swapBytes(b: Builder, operand: Operand): void {
  const width = b.width(operand);
  // A 16-bit BSWAP is undefined; processors swap the zero-extended doubleword and keep its lower half: zero.
  b.write(operand, width === 16 ? b.i32(0) : swapped(b, width, b.read(operand)));
}

/** A move from or to memory, the bytes in the other order (SDM vol. 2: MOVBE). */
export const swappingMoves = {
  movbe: (b, { operands: [dst, src] }) => b.write(dst!, swapped(b, b.width(dst!), b.read(src!))),
} satisfies Record<string, Lift>;

/** Segment registers hold what Linux gives a 64-bit process and cannot be loaded. A register gets it zero-extended. */
const mov: Lift = (b, instruction) => {
  const [dst, src] = instruction.operands;
  if (dst!.kind === "segment") return protection("loading a segment register")(b, instruction);
  if (dst!.kind === "other" || src!.kind === "other") return protection("a control register")(b, instruction);
  if (src!.kind !== "segment") return b.write(dst!, b.read(src!, b.width(dst!)));
  b.write(dst!, b.constant(b.width(dst!), segmentSelectors[src!.name] ?? 0));
};

export const moveSemantics = {
  mov,
  movzx: extend(false),
  movsx: extend(true),
  movsxd: extend(true),
  movnti: (b, { operands: [dst, src] }) => {
    if (dst?.kind !== "mem") return;
    const access = dst.size === 8 ? "i64.store" : "i32.store";
    b.store(access, b.address(dst), b.read(src!), { nonTemporal: true });
  },
  lea: (b, { operands: [dst, src] }) => {
    if (src?.kind !== "mem") return;
    b.write(dst!, b.extend(b.address({ ...src, segment: undefined }), 64, b.width(dst!), false));
  },
  bswap: (b, { operands: [dst] }) => swapBytes(b, dst!),
  xlatb: (b, { operands: [table] }) => {
    if (table?.kind !== "mem") return;
    const index = b.op("i64.and", b.get(gprs[0]!), b.i64(0xff));
    b.write(accumulator(8), b.load("i32.load8_u", b.address({ ...table, index: undefined }, index)));
  },
  cbw: widenAccumulator(16),
  cwde: widenAccumulator(32),
  cdqe: widenAccumulator(64),
  cwd: spreadSign(16),
  cdq: spreadSign(32),
  cqo: spreadSign(64),
  ...Object.fromEntries(conditions.map((condition) => [`set${condition}`, setcc(condition)])),
  ...Object.fromEntries(conditions.map((condition) => [`cmov${condition}`, cmovcc(condition)])),
} satisfies Record<string, Lift>;
