/**
 * RCPPS and RSQRTPS. Processors use tables of their own, which differ between makers; here the result is the exact one
 * rounded to 12 bits, well within the 1.5 × 2^-12 that SDM vol. 2 allows. Denormal operands count as zero and
 * denormal results become zero, as the manual says; neither rounding mode nor DAZ nor FTZ matters.
 */
import { Code } from "../../../isa/wasm/index.ts";
import type { MacroBody } from "./context.ts";

const absolute = 0x7fff_ffff;
const infinity = 0x7f80_0000;
const smallestNormal = 0x0080_0000;
const quietBit = 0x0040_0000;
const defaultNan = 0xffc0_0000 | 0;
const one = 0x3f80_0000;
/** Half a unit of the twelfth fraction bit, and the bits that stay. */
const half = 1 << 10;
const kept = ~((1 << 11) - 1);

const scalar =
  (root: boolean): MacroBody =>
  () => {
    const c = new Code(["f32"]);
    const bits = c.local("i32");
    const size = c.local("i32");
    const sign = c.local("i32");
    const answer = (value: () => Code) => {
      c.if_();
      value().op("f32.reinterpret_i32").return_();
      c.end();
    };
    c.get(0).op("i32.reinterpret_f32").tee(bits).i32(absolute).op("i32.and").set(size);
    c.get(bits).i32(~absolute).op("i32.and").set(sign);
    c.get(size).i32(infinity).op("i32.gt_u");
    answer(() => c.get(bits).i32(quietBit).op("i32.or"));
    c.get(size).i32(smallestNormal).op("i32.lt_u");
    answer(() => c.get(sign).i32(infinity).op("i32.or"));
    if (root) {
      c.get(sign);
      answer(() => c.i32(defaultNan));
    }
    c.get(size).i32(infinity).op("i32.eq");
    answer(() => c.get(sign));
    c.i32(one).op("f32.reinterpret_i32").get(0);
    if (root) c.op("f32.sqrt");
    c.op("f32.div").op("i32.reinterpret_f32").tee(bits).i32(absolute).op("i32.and").set(size);
    c.get(size).i32(smallestNormal).op("i32.lt_u");
    answer(() => c.get(sign));
    return c.get(bits).i32(half).op("i32.add").i32(kept).op("i32.and").op("f32.reinterpret_i32");
  };

const lanes =
  (name: "x86.f32.reciprocal" | "x86.f32.reciprocal_sqrt"): MacroBody =>
  ({ macro }) => {
    const c = new Code(["v128"]);
    c.get(0);
    for (let lane = 0; lane < 4; lane++)
      c.get(0).op("f32x4.extract_lane", lane).call(macro(name)).op("f32x4.replace_lane", lane);
    return c;
  };

export const approximationBodies = {
  "x86.f32.reciprocal": scalar(false),
  "x86.f32.reciprocal_sqrt": scalar(true),
  "x86.f32x4.reciprocal": lanes("x86.f32.reciprocal"),
  "x86.f32x4.reciprocal_sqrt": lanes("x86.f32.reciprocal_sqrt"),
};
