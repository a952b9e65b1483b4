/** Across the elements of one register. SDM vol. 2: PHADDW, PHSUBW, PHADDSW, PHMINPOSUW, MPSADBW. */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { absoluteDifference } from "./arithmetic.ts";
import { joinHalves, packed, packedControlled, packedUnary, shuffleElements } from "./operands.ts";

/** Neighbours combined: the left operand's pairs below the right's. */
const pairs = (size: number, name: NumericName): Lift =>
  packed((b, left, right, form) => {
    const [first, second] = form === "mm" ? [joinHalves(b, left, right), joinHalves(b, left, right)] : [left, right];
    const count = 16 / size;
    const evens = Array.from({ length: count }, (_, i) => 2 * i);
    const odds = evens.map((element) => element + 1);
    return b.op(name, shuffleElements(b, size, first, second, evens), shuffleElements(b, size, first, second, odds));
  });

/** Value above position in one doubleword each, so that the smallest has the smallest value and then position. */
const phminposuw = packedUnary((b, source) => {
  const keys = (words: Value, positions: bigint) =>
    b.op("v128.or", b.op("i32x4.shl", words, b.i32(16)), b.v128(positions));
  const lower = keys(b.op("i32x4.extend_low_i16x8_u", source), 0x3_00000002_00000001_00000000n);
  const upper = keys(b.op("i32x4.extend_high_i16x8_u", source), 0x7_00000006_00000005_00000004n);
  let least = b.op("i32x4.min_u", lower, upper);
  least = b.op("i32x4.min_u", least, shuffleElements(b, 4, least, least, [2, 3, 2, 3]));
  least = b.op("i32x4.min_u", least, shuffleElements(b, 4, least, least, [1, 1, 1, 1]));
  const swapped = b.shuffle(least, b.v128(0n), [2, 3, 0, 1, ...Array.from({ length: 12 }, () => 16)]);
  return swapped;
});

/** Eight sums of four absolute differences: bytes i … i+3 of the left block against four bytes of the right. */
function slidingDifferences(b: Builder, left: Value, right: Value, control: number): Value {
  const leftStart = ((control >> 2) & 1) * 4;
  const rightStart = (control & 3) * 4;
  let sum: Value | undefined;
  for (let k = 0; k < 4; k++) {
    const window = Array.from({ length: 16 }, (_, i) => leftStart + k + (i & 7));
    const byte = Array.from({ length: 16 }, () => rightStart + k);
    const difference = absoluteDifference(b, b.shuffle(left, left, window), b.shuffle(right, right, byte));
    const words = b.op("i16x8.extend_low_i8x16_u", difference);
    sum = sum === undefined ? words : b.op("i16x8.add", sum, words);
  }
  return sum!;
}

export const horizontalSemantics = {
  phaddw: pairs(2, "i16x8.add"),
  phaddd: pairs(4, "i32x4.add"),
  phaddsw: pairs(2, "i16x8.add_sat_s"),
  phsubw: pairs(2, "i16x8.sub"),
  phsubd: pairs(4, "i32x4.sub"),
  phsubsw: pairs(2, "i16x8.sub_sat_s"),
  phminposuw,
  mpsadbw: packedControlled(slidingDifferences),
} satisfies Record<string, Lift>;
