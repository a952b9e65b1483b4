/**
 * The comparison at the heart of PCMPESTRI, PCMPESTRM, PCMPISTRI and PCMPISTRM (SDM vol. 2, 4.1). Results are bit
 * masks with a bit per element of the second string. Control byte: bit 0 words, bit 1 signed, bits 2-3 aggregation,
 * bits 4-5 polarity.
 */
import { Code, type NumericName } from "../../../isa/wasm/index.ts";
import type { MacroBody } from "./context.ts";

const byteLanes = { all: 16, type: "i8x16" } as const;
const wordLanes = { all: 8, type: "i16x8" } as const;
type Elements = typeof byteLanes | typeof wordLanes;

const ones = (elements: Elements): number => (1 << elements.all) - 1;

/** The lane's mask of the vector left by `write`, ready to be asked for its bits. */
const length: MacroBody = () => {
  const c = new Code(["v128", "i32"]);
  const firstZero = ({ all, type }: Elements) =>
    c
      .get(0)
      .v128(0n)
      .op(`${type}.eq`)
      .op(`${type}.bitmask`)
      .i32(1 << all)
      .op("i32.or")
      .op("i32.ctz");
  c.get(1).i32(1).op("i32.and");
  c.if_("i32");
  firstZero(wordLanes);
  c.else_();
  firstZero(byteLanes);
  return c.end();
};

interface Locals {
  readonly first: number;
  readonly second: number;
  readonly firstLength: number;
  readonly control: number;
  readonly validFirst: number;
  readonly validSecond: number;
  readonly index: number;
  readonly result: number;
}

/** The element of the first string at `index` + `ahead`, in every lane. */
function splatElement(c: Code, { all }: Elements, l: Locals, ahead = 0): void {
  c.get(l.first).get(l.index).i32(ahead).op("i32.add");
  if (all === 16) c.op("i8x16.splat");
  else c.i32(0x0202).op("i32.mul").i32(0x0100).op("i32.add").op("i16x8.splat");
  c.op("i8x16.swizzle");
}

/** Runs `body` with `index` = 0, step, … while index + step ≤ the first string's length. */
function forElements(c: Code, l: Locals, step: number, body: () => void): void {
  c.i32(0).set(l.index);
  const done = c.block();
  const again = c.loop();
  c.get(l.index).i32(step).op("i32.add").get(l.firstLength).op("i32.gt_u").brIf(done);
  body();
  c.get(l.index).i32(step).op("i32.add").set(l.index).br(again);
  c.end().end();
}

const orInto = (c: Code, l: Locals) => c.get(l.result).op("i32.or").set(l.result);

function equalAny(c: Code, elements: Elements, l: Locals): void {
  c.i32(0).set(l.result);
  forElements(c, l, 1, () => {
    splatElement(c.get(l.second), elements, l);
    c.op(`${elements.type}.eq`).op(`${elements.type}.bitmask`);
    orInto(c, l);
  });
  c.get(l.result).get(l.validSecond).op("i32.and").set(l.result);
}

function ranges(c: Code, elements: Elements, l: Locals): void {
  const within = (suffix: "s" | "u") => {
    splatElement(c.get(l.second), elements, l);
    c.op(`${elements.type}.ge_${suffix}` as NumericName);
    splatElement(c.get(l.second), elements, l, 1);
    c.op(`${elements.type}.le_${suffix}` as NumericName).op("v128.and");
  };
  c.i32(0).set(l.result);
  forElements(c, l, 2, () => {
    c.get(l.control).i32(2).op("i32.and");
    c.if_("v128");
    within("s");
    c.else_();
    within("u");
    c.end().op(`${elements.type}.bitmask`);
    orInto(c, l);
  });
  c.get(l.result).get(l.validSecond).op("i32.and").set(l.result);
}

/** Beyond both strings' ends everything is equal, beyond one of them nothing. */
function equalEach(c: Code, elements: Elements, l: Locals): void {
  c.get(l.first).get(l.second).op(`${elements.type}.eq`).op(`${elements.type}.bitmask`);
  c.get(l.validFirst).op("i32.and").get(l.validSecond).op("i32.and");
  c.get(l.validFirst).get(l.validSecond).op("i32.or").i32(ones(elements)).op("i32.xor").op("i32.or").set(l.result);
}

/** Bit i: the first string lies in the second from element i on, as far as the second register reaches. */
function equalOrdered(c: Code, elements: Elements, l: Locals): void {
  c.i32(ones(elements)).set(l.result);
  forElements(c, l, 1, () => {
    splatElement(c.get(l.second), elements, l);
    c.op(`${elements.type}.eq`).op(`${elements.type}.bitmask`).get(l.validSecond).op("i32.and");
    c.i32(~ones(elements)).op("i32.or").get(l.index).op("i32.shr_s");
    c.get(l.result).op("i32.and").set(l.result);
  });
}

/** In the order of the control byte's bits 2-3. */
const aggregations = [equalAny, ranges, equalEach, equalOrdered] as const;

function emitAggregation(c: Code, elements: Elements, l: Locals): void {
  const done = c.block();
  for (const [code, aggregate] of aggregations.entries()) {
    const skip = c.block();
    c.get(l.control)
      .i32(12)
      .op("i32.and")
      .i32(code << 2)
      .op("i32.ne")
      .brIf(skip);
    aggregate(c, elements, l);
    c.br(done).end();
  }
  c.end();
}

const compare: MacroBody = () => {
  const c = new Code(["v128", "v128", "i32", "i32", "i32"]);
  const [first, second, firstLength, secondLength, control] = [0, 1, 2, 3, 4];
  const [validFirst, validSecond] = [c.local("i32"), c.local("i32")];
  const l: Locals = {
    first,
    second,
    firstLength,
    control,
    validFirst,
    validSecond,
    index: c.local("i32"),
    result: c.local("i32"),
  };
  const below = (count: number) => c.i32(1).get(count).op("i32.shl").i32(1).op("i32.sub");
  below(firstLength).set(validFirst);
  below(secondLength).set(validSecond);
  const negate = (elements: Elements) => {
    c.get(l.result).i32(ones(elements)).get(validSecond).get(control).i32(32).op("i32.and").op("i32.eqz").select("i32");
    c.op("i32.xor").set(l.result);
  };
  const whole = (elements: Elements) => {
    emitAggregation(c, elements, l);
    c.get(control).i32(16).op("i32.and");
    c.if_();
    negate(elements);
    c.end();
  };
  c.get(control).i32(1).op("i32.and");
  c.if_();
  whole(wordLanes);
  c.else_();
  whole(byteLanes);
  c.end();
  return c.get(l.result);
};

export const stringBodies = { "x86.string.length": length, "x86.string.compare": compare };
