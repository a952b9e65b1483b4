/** WebAssembly's integer vector operations over terms, lowered to lanes: a row for each shape and operation. */
import type { NumericName } from "../../isa/wasm/index.ts";
import type { Arithmetic } from "../operators.ts";
import type { Term, Terms } from "../terms.ts";
import {
  type ComparisonName,
  comparisons,
  type Formula,
  inverted,
  isZero,
  negated,
  populationCount,
  shifted,
  truthBits,
} from "./formula.ts";

const vectorBits = 128;
/** Lane 0 first. */
export const lanesOf = (t: Terms, vector: Term, width: number): readonly Term[] =>
  Array.from({ length: vectorBits / width }, (_, i) => t.extract(vector, i * width, width));
export const joined = (t: Terms, lanes: readonly Term[]): Term => lanes.reduceRight((high, low) => t.concat(high, low));

type Signedness = "extend" | "extendSigned";
const signedness = { u: "extend", s: "extendSigned" } as const;

const each =
  (width: number, make: (t: Terms, ...lanes: Term[]) => Term): Formula =>
  (t, operands) => {
    const lanes = operands.map((operand) => lanesOf(t, operand, width));
    return joined(
      t,
      lanes[0]!.map((_, i) => make(t, ...lanes.map((all) => all[i]!))),
    );
  };

const mask = (t: Terms, condition: Term, width: number): Term =>
  t.choose(condition, t.constant(width, -1n), t.constant(width, 0n));

const lesser = (name: ComparisonName) => (t: Terms, a: Term, b: Term) => t.choose(comparisons[name](t, a, b), a, b);

/** A value of more bits, cut to the nearest that so many bits hold. */
function saturated(t: Terms, value: Term, width: number, to: Signedness): Term {
  const bits = BigInt(width);
  const [least, most] = to === "extend" ? [0n, (1n << bits) - 1n] : [-(1n << (bits - 1n)), (1n << (bits - 1n)) - 1n];
  const [low, high] = [t.constant(value.sort, least), t.constant(value.sort, most)];
  const capped = t.choose(t.compare("belowSigned", high, value), high, value);
  return t.extract(t.choose(t.compare("belowSigned", capped, low), low, capped), 0, width);
}

/** In twice as many bits, so that nothing is lost. */
const wider =
  (op: Arithmetic, width: number, sign: Signedness) =>
  (t: Terms, a: Term, b: Term): Term =>
    t.compute(op, t.extend(a, 2 * width, sign), t.extend(b, 2 * width, sign));

const magnitude = (t: Terms, a: Term): Term =>
  t.choose(t.compare("belowSigned", a, t.constant(a.sort, 0n)), negated(t, a), a);
const rounded = (width: number) => (t: Terms, a: Term, b: Term) => {
  const sum = t.compute("add", wider("add", width, "extend")(t, a, b), t.constant(2 * width, 1n));
  return t.extract(sum, 1, width);
};

/** What every shape has, or all but one: WebAssembly's table says which are asked for. */
function shapeRows(width: number): Readonly<Record<string, Formula>> {
  const compared = (name: ComparisonName) => each(width, (t, a, b) => mask(t, comparisons[name](t, a!, b!), width));
  const computed = (op: Arithmetic) => each(width, (t, a, b) => t.compute(op, a!, b!));
  const clamped = (op: Arithmetic, sign: Signedness) =>
    each(width, (t, a, b) => saturated(t, wider(op, width, sign)(t, a!, b!), width, sign));
  const moved =
    (op: "shiftLeft" | "shiftRight" | "shiftRightSigned"): Formula =>
    (t, [vector, count]) =>
      each(width, (_, lane) => shifted(t, op, lane!, count!))(t, [vector!], 0);
  const comparing = (Object.keys(comparisons) as ComparisonName[]).map((name) => [name, compared(name)] as const);
  return {
    ...Object.fromEntries(comparing),
    add: computed("add"),
    sub: computed("subtract"),
    mul: computed("multiply"),
    neg: each(width, (t, a) => negated(t, a!)),
    abs: each(width, (t, a) => magnitude(t, a!)),
    popcnt: each(width, (t, a) => populationCount(t, a!)),
    min_u: each(width, lesser("lt_u")),
    min_s: each(width, lesser("lt_s")),
    max_u: each(width, lesser("gt_u")),
    max_s: each(width, lesser("gt_s")),
    avgr_u: each(width, rounded(width)),
    add_sat_u: clamped("add", "extend"),
    add_sat_s: clamped("add", "extendSigned"),
    sub_sat_u: clamped("subtract", "extend"),
    sub_sat_s: clamped("subtract", "extendSigned"),
    shl: moved("shiftLeft"),
    shr_u: moved("shiftRight"),
    shr_s: moved("shiftRightSigned"),
    all_true: (t, [a]) => truthBits(t, t.and(...lanesOf(t, a!, width).map((lane) => t.not(isZero(t, lane))))),
    bitmask: (t, [a]) => {
      const signs = lanesOf(t, a!, width).map((lane) => t.extract(lane, width - 1, 1));
      return t.extend(joined(t, signs), 32);
    },
  };
}

/** Lanes in and out; i8 and i16 travel in an i32. */
function laneRows(width: number): Readonly<Record<string, Formula>> {
  const outside = Math.max(width, 32);
  const extracted =
    (sign: Signedness): Formula =>
    (t, [vector], lane) =>
      t.extend(t.extract(vector!, lane * width, width), outside, sign);
  return {
    splat: (t, [value]) => joined(t, Array(vectorBits / width).fill(t.extract(value!, 0, width))),
    extract_lane: extracted("extend"),
    extract_lane_u: extracted("extend"),
    extract_lane_s: extracted("extendSigned"),
    replace_lane: (t, [vector, value], lane) =>
      joined(t, lanesOf(t, vector!, width).with(lane, t.extract(value!, 0, width))),
  };
}

/** Rows that make lanes of `width` bits out of lanes half as wide. */
function widening(from: string, width: number): readonly (readonly [string, Formula])[] {
  const half = width / 2;
  const made: (readonly [string, Formula])[] = [];
  for (const [suffix, sign] of Object.entries(signedness)) {
    const wide = (t: Terms, lane: Term) => t.extend(lane, width, sign);
    for (const part of ["low", "high"]) {
      const chosen = (t: Terms, vector: Term) => {
        const lanes = lanesOf(t, vector, half);
        return part === "low" ? lanes.slice(0, lanes.length / 2) : lanes.slice(lanes.length / 2);
      };
      made.push([
        `extend_${part}_${from}_${suffix}`,
        (t, [a]) => joined(t, chosen(t, a!).map((lane) => wide(t, lane))), // biome-ignore format: one idea
      ]);
      made.push([
        `extmul_${part}_${from}_${suffix}`,
        (t, [a, b]) => {
          const right = chosen(t, b!);
          return joined(t, chosen(t, a!).map((lane, i) => wider("multiply", half, sign)(t, lane, right[i]!))); // biome-ignore format: one idea
        },
      ]);
    }
    made.push([`extadd_pairwise_${from}_${suffix}`, (t, [a]) => joined(t, pairs(lanesOf(t, a!, half)).map(([x, y]) => wider("add", half, sign)(t, x, y)))]); // biome-ignore format: one idea
  }
  return made;
}

const pairs = (lanes: readonly Term[]): readonly (readonly [Term, Term])[] =>
  Array.from({ length: lanes.length / 2 }, (_, i) => [lanes[2 * i]!, lanes[2 * i + 1]!]);

const narrowed =
  (width: number, to: Signedness): Formula =>
  (t, operands) =>
    joined(
      t,
      operands.flatMap((vector) => lanesOf(t, vector, 2 * width)).map((lane) => saturated(t, lane, width, to)),
    );

/** Bytes of `left` chosen by those of `right`; 0 where the number is 16 or more. */
const swizzle: Formula = (t, [left, right]) => {
  const bytes = lanesOf(t, left!, 8);
  const chosen = (number: Term) =>
    bytes.reduceRight((other, byte, i) => t.choose(t.equal(number, t.constant(8, BigInt(i))), byte, other), t.constant(8, 0n)); // biome-ignore format: one idea
  return joined(t, lanesOf(t, right!, 8).map(chosen)); // biome-ignore format: one idea
};

/** (a × b + 2^14) / 2^15, saturated: only -1 × -1 does not fit. */
const multipliedQ15 = each(16, (t, a, b) => {
  const product = t.extend(wider("multiply", 16, "extendSigned")(t, a!, b!), 33, "extendSigned");
  const sum = t.compute("add", product, t.constant(33, 1n << 14n));
  return saturated(t, t.compute("shiftRightSigned", sum, t.constant(33, 15n)), 16, "extendSigned");
});

const dotProduct: Formula = (t, [a, b]) => {
  const multiply = wider("multiply", 16, "extendSigned");
  const right = lanesOf(t, b!, 16);
  const products = lanesOf(t, a!, 16).map((lane, i) => multiply(t, lane, right[i]!));
  return joined(t, pairs(products).map(([x, y]) => t.compute("add", x, y))); // biome-ignore format: one idea
};

const named = (shape: string, rows: Readonly<Record<string, Formula>>): [string, Formula][] =>
  Object.entries(rows).map(([name, formula]) => [`${shape}.${name}`, formula]);

const shapes = { i8x16: 8, i16x8: 16, i32x4: 32, i64x2: 64 } as const;

export const laneFormulas: Partial<Record<NumericName, Formula>> = {
  ...Object.fromEntries(Object.entries(shapes).flatMap(([shape, width]) => named(shape, shapeRows(width)))),
  ...Object.fromEntries(
    Object.entries({ ...shapes, f32x4: 32, f64x2: 64 }).flatMap(([shape, width]) => named(shape, laneRows(width))),
  ),
  ...Object.fromEntries(widening("i8x16", 16).map(([name, formula]) => [`i16x8.${name}`, formula])),
  ...Object.fromEntries(widening("i16x8", 32).map(([name, formula]) => [`i32x4.${name}`, formula])),
  ...Object.fromEntries(widening("i32x4", 64).map(([name, formula]) => [`i64x2.${name}`, formula])),
  "i8x16.narrow_i16x8_s": narrowed(8, "extendSigned"),
  "i8x16.narrow_i16x8_u": narrowed(8, "extend"),
  "i16x8.narrow_i32x4_s": narrowed(16, "extendSigned"),
  "i16x8.narrow_i32x4_u": narrowed(16, "extend"),
  "i8x16.swizzle": swizzle,
  "i16x8.q15mulr_sat_s": multipliedQ15,
  "i32x4.dot_i16x8_s": dotProduct,
  "v128.not": (t, [a]) => inverted(t, a!),
  "v128.and": (t, [a, b]) => t.compute("bitAnd", a!, b!),
  "v128.or": (t, [a, b]) => t.compute("bitOr", a!, b!),
  "v128.xor": (t, [a, b]) => t.compute("bitXor", a!, b!),
  "v128.andnot": (t, [a, b]) => t.compute("bitAnd", a!, inverted(t, b!)),
  "v128.bitselect": (t, [a, b, which]) =>
    t.compute("bitOr", t.compute("bitAnd", a!, which!), t.compute("bitAnd", b!, inverted(t, which!))),
  "v128.any_true": (t, [a]) => truthBits(t, t.not(isZero(t, a!))),
};

/** Sixteen bytes: below 16 those of `left`, from 16 on those of `right`. */
export function shuffled(t: Terms, left: Term, right: Term, lanes: readonly number[]): Term {
  const bytes = [...lanesOf(t, left, 8), ...lanesOf(t, right, 8)];
  return joined(t, lanes.map((lane) => bytes[lane]!)); // biome-ignore format: one idea
}
