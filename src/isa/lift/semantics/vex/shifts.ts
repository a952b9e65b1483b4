/**
 * Shifts of each element by a count of its own. SDM vol. 2: VPSLLVD, VPSRLVD, VPSRAVD. WebAssembly has no such shift, so
 * the bits of the counts take their turns: where one is set, the element is shifted by what it stands for.
 */
import type { Value } from "../../../ir/index.ts";
import type { NumericName } from "../../../wasm/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { splat } from "../sse/operands.ts";
import { laneCount, readLanes, writeLanes } from "./operands.ts";

type Element = "i32x4" | "i64x2";
const countBits = { i32x4: 5, i64x2: 6 } as const;

function shiftEach(b: Builder, element: Element, name: "shl" | "shr_s" | "shr_u", value: Value, counts: Value): Value {
  const top = (1 << countBits[element]) - 1;
  let result = value;
  for (let bit = 0; bit < countBits[element]; bit++) {
    const sign = b.op(`${element}.shl`, counts, b.i32(top - bit));
    const isSet = b.op(`${element}.shr_s`, sign, b.i32(top));
    const shifted = b.op(`${element}.${name}` as NumericName, result, b.i32(1 << bit));
    result = b.op("v128.bitselect", shifted, result, isSet);
  }
  return result;
}

/** Zero where the count is beyond the element. */
const logical =
  (element: Element, name: "shl" | "shr_u") =>
  (b: Builder, value: Value, counts: Value): Value => {
    const beyond = b.op(`${element}.shr_u`, counts, b.i32(countBits[element]));
    const fits = b.op(`${element}.eq`, beyond, b.v128(0n));
    return b.op("v128.and", shiftEach(b, element, name, value, counts), fits);
  };

/** All signs where it is. */
const arithmetic = (b: Builder, value: Value, counts: Value): Value =>
  shiftEach(b, "i32x4", "shr_s", value, b.op("i32x4.min_u", counts, b.v128(splat(32, 31n))));

const variable =
  (compute: (b: Builder, value: Value, counts: Value) => Value): Lift =>
  (b, instruction) => {
    const [destination, source, by] = instruction.operands;
    const counts = readLanes(b, by!);
    const values = readLanes(b, source!);
    const lanes = Array.from({ length: laneCount(instruction) }, (_, i) => compute(b, values[i]!, counts[i]!));
    writeLanes(b, destination!, lanes);
  };

export const variableShiftSemantics = {
  vpsllvd: variable(logical("i32x4", "shl")),
  vpsllvq: variable(logical("i64x2", "shl")),
  vpsrlvd: variable(logical("i32x4", "shr_u")),
  vpsrlvq: variable(logical("i64x2", "shr_u")),
  vpsravd: variable(arithmetic),
} satisfies Record<string, Lift>;
