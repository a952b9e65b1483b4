/**
 * A fused multiply-add out of operations that round each by themselves. Error-free sums and products say what each rounding
 * lost; the losses are added rounding to odd, and so the last rounding is the only one that counts (Boldo and Melquiond,
 * "Emulation of FMA and correctly rounded sums: proved algorithms using rounding to odd", IEEE Trans. Comput. 57, 2008;
 * Dekker's product and Knuth's sum). Always:
 * - Singles: their product is exact as a double, so one sum rounded to odd is all.
 * - Doubles: where an error term could overflow or underflow the answer is a NaN, and the helper computes it exactly.
 */
import type { Code, NumericName } from "../../../isa/wasm/index.ts";

type Wide = "f64" | "f64x2";

/** Computes into fresh locals: each method returns the local of its result. */
class Flow {
  readonly #c: Code;
  readonly #type: Wide;
  readonly #isVector: boolean;

  constructor(c: Code, type: Wide) {
    this.#c = c;
    this.#type = type;
    this.#isVector = type === "f64x2";
  }
  #made(type: "number" | "bits" | "truth"): number {
    const local = this.#c.local(this.#isVector ? "v128" : type === "number" ? "f64" : type === "bits" ? "i64" : "i32");
    this.#c.set(local);
    return local;
  }
  constant(value: number): number {
    const bits = new BigUint64Array(new Float64Array([value]).buffer)[0]!;
    if (this.#isVector) this.#c.v128(bits | (bits << 64n));
    else this.#c.i64(bits).op("f64.reinterpret_i64");
    return this.#made("number");
  }
  compute(name: "add" | "sub" | "mul", a: number, b: number): number {
    this.#c.get(a).get(b).op(`${this.#type}.${name}`);
    return this.#made("number");
  }
  compare(name: "lt" | "gt" | "le" | "eq", a: number, b: number): number {
    this.#c.get(a).get(b).op(`${this.#type}.${name}`);
    return this.#made("truth");
  }
  magnitude(a: number): number {
    this.#c.get(a).op(`${this.#type}.abs`);
    return this.#made("number");
  }
  join(name: "and" | "or", a: number, b: number): number {
    this.#c
      .get(a)
      .get(b)
      .op(this.#isVector ? `v128.${name}` : `i32.${name}`);
    return this.#made("truth");
  }
  choose(when: number, then: number, otherwise: number): number {
    this.#c.get(then).get(otherwise).get(when);
    if (this.#isVector) this.#c.op("v128.bitselect");
    else this.#c.select("f64");
    return this.#made("number");
  }

  /** a + b, and what its rounding lost. */
  sum(a: number, b: number): readonly [sum: number, lost: number] {
    const sum = this.compute("add", a, b);
    const rest = this.compute("sub", sum, a);
    const left = this.compute("sub", a, this.compute("sub", sum, rest));
    return [sum, this.compute("add", left, this.compute("sub", b, rest))];
  }
  #halves(a: number): readonly [high: number, low: number] {
    const scaled = this.compute("mul", a, this.constant(2 ** 27 + 1));
    const high = this.compute("sub", scaled, this.compute("sub", scaled, a));
    return [high, this.compute("sub", a, high)];
  }
  /** a × b, and what its rounding lost. */
  product(a: number, b: number): readonly [product: number, lost: number] {
    const product = this.compute("mul", a, b);
    const [[aHigh, aLow], [bHigh, bLow]] = [this.#halves(a), this.#halves(b)];
    let rest = this.compute("sub", product, this.compute("mul", aHigh, bHigh));
    rest = this.compute("sub", rest, this.compute("mul", aLow, bHigh));
    rest = this.compute("sub", rest, this.compute("mul", aHigh, bLow));
    return [product, this.compute("sub", this.compute("mul", aLow, bLow), rest)];
  }
  /** a + b, and if it is inexact that one of the two neighbours whose last bit is 1. */
  sumToOdd(a: number, b: number): number {
    const [sum, lost] = this.sum(a, b);
    const zero = this.constant(0);
    const [positive, negative] = [this.compare("gt", lost, zero), this.compare("lt", lost, zero)];
    return this.#isVector ? this.#stepOfLanes(sum, positive, negative) : this.#step(sum, positive, negative);
  }
  /** An even last bit becomes odd by one step up or down; an odd one stays. */
  #step(sum: number, positive: number, negative: number): number {
    const c = this.#c;
    const bits = c.local("i64");
    c.get(sum).op("i64.reinterpret_f64").tee(bits);
    // +1 if the sum has the sign of what was lost, else −1: the sign bit spread is 0 or −1, and with a 1 it is ±1.
    c.get(positive).get(negative).op("i32.sub").op("i64.extend_i32_s");
    c.get(bits).i64(63n).op("i64.shr_s").i64(1n).op("i64.or").op("i64.mul");
    c.i64(0n).get(bits).i64(1n).op("i64.and").op("i64.eqz").select("i64").op("i64.add");
    c.op("f64.reinterpret_i64");
    return this.#made("number");
  }
  #stepOfLanes(sum: number, positive: number, negative: number): number {
    const c = this.#c;
    const one = 1n | (1n << 64n);
    // −1 and +1 exchanged where the sum is negative: (x XOR sign) − sign.
    const sign = c.local("v128");
    c.get(sum).i32(63).op("i64x2.shr_s").set(sign);
    c.get(sum);
    c.get(negative).get(positive).op("i64x2.sub").get(sign).op("v128.xor").get(sign).op("i64x2.sub");
    c.get(sum).v128(one).op("v128.and").v128(0n).op("i64x2.eq").op("v128.and");
    c.op("i64x2.add");
    return this.#made("number");
  }
}

/** a × b + c of singles widened to doubles, rounded to odd: to be narrowed. */
function emitWidened(c: Code, type: Wide, [a, b, addend]: readonly number[]): void {
  const flow = new Flow(c, type);
  c.get(flow.sumToOdd(flow.compute("mul", a!, b!), addend!));
}

/** The factors' and the product's magnitudes between which no error term leaves the normal numbers; the addend's bound. */
const bounds = { factor: 2 ** 500, product: 2 ** -900, addend: 2 ** 1000 } as const;

function emitDoubles(c: Code, type: Wide, [a, b, addend]: readonly number[]): void {
  const flow = new Flow(c, type);
  const [product, productLost] = flow.product(a!, b!);
  const [low, lowLost] = flow.sum(addend!, productLost);
  const [high, highLost] = flow.sum(product, low);
  const exact = flow.compute("add", high, flow.sumToOdd(lowLost, highLost));
  const zero = flow.constant(0);
  const hasZero = flow.join("or", flow.compare("eq", a!, zero), flow.compare("eq", b!, zero));
  // A product of zero keeps its sign only in a sum of its own.
  const result = flow.choose(hasZero, flow.compute("add", product, addend!), exact);
  const within = (value: number, bound: number) => flow.compare("le", flow.magnitude(value), flow.constant(bound));
  const factors = flow.join("and", within(a!, bounds.factor), within(b!, bounds.factor));
  const isNormal = flow.compare("gt", flow.magnitude(product), flow.constant(bounds.product));
  const safe = flow.join("and", factors, flow.join("or", hasZero, isNormal));
  c.get(flow.choose(flow.join("and", safe, within(addend!, bounds.addend)), result, flow.constant(Number.NaN)));
}

const widened = (c: Code, args: readonly number[], narrow: (local: number) => void, type: Wide): readonly number[] =>
  args.map((arg) => {
    const local = c.local(type === "f64" ? "f64" : "v128");
    narrow(arg);
    c.set(local);
    return local;
  });

/** Bytes of the upper two singles, brought below. */
const upperHalf = [8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15] as const;
const joined = [0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23] as const;

export const fusedEmits = {
  f32: (c: Code, args: readonly number[]): void => {
    const wide = widened(c, args, (arg) => c.get(arg).op("f64.promote_f32"), "f64");
    emitWidened(c, "f64", wide);
    c.op("f32.demote_f64");
  },
  f64: (c: Code, args: readonly number[]): void => emitDoubles(c, "f64", args),
  f32x4: (c: Code, args: readonly number[]): void => {
    const promote: NumericName = "f64x2.promote_low_f32x4";
    const low = widened(c, args, (arg) => c.get(arg).op(promote), "f64x2");
    const high = widened(c, args, (arg) => c.get(arg).get(arg).shuffle(upperHalf).op(promote), "f64x2");
    emitWidened(c, "f64x2", low);
    c.op("f32x4.demote_f64x2_zero");
    emitWidened(c, "f64x2", high);
    c.op("f32x4.demote_f64x2_zero").shuffle(joined);
  },
  f64x2: (c: Code, args: readonly number[]): void => emitDoubles(c, "f64x2", args),
} as const;
