/**
 * Works out the noted flags (isa/ir/flags.ts) in TypeScript, for signal frames and r11 at a syscall. The same formulas run in
 * WebAssembly in src/machine/runtime; a test compares the two. Operands are zero-extended to 64 bits, `top` is width-1.
 */
import {
  type ArithmeticFlag,
  arithmeticFlags,
  carryNoted,
  carryShift,
  codeMask,
  eflagsBit,
  type FlagsKind,
  flagsKinds,
  overflowShift,
  widths,
} from "../../isa/ir/index.ts";

export interface NotedFlags {
  /** flagsCode(kind, width), perhaps with CF and OF beside it. */
  readonly code: number;
  readonly left: bigint;
  readonly right: bigint;
  readonly result: bigint;
}

/** Bit 0 is the flag. */
type Formula = (noted: NotedFlags, top: bigint) => bigint;

const truth = (condition: boolean): bigint => (condition ? 1n : 0n);
const never: Formula = () => 0n;
const rawBit =
  (flag: ArithmeticFlag): Formula =>
  ({ left }) =>
    left >> BigInt(eflagsBit[flag]);

const evenParity: Formula = ({ result }) => {
  let bits = Number(result & 255n);
  bits ^= bits >> 4;
  bits ^= bits >> 2;
  bits ^= bits >> 1;
  return BigInt(~bits & 1);
};
const halfCarry: Formula = ({ left, right, result }) => (left ^ right ^ result) >> 4n;
const sumOverflow: Formula = ({ left, right, result }, top) => ((left ^ result) & (right ^ result)) >> top;
const differenceOverflow: Formula = ({ left, right, result }, top) => ((left ^ right) & (left ^ result)) >> top;
const keptCarry: Formula = ({ left }) => left;
const shiftedOutRight: Formula = ({ left, right }) => left >> (right - 1n);
const shiftedOutLeft: Formula = ({ left, right }, top) => left >> (top + 1n - right);

const productOverflow: Formula = ({ left, right, result }, top) => {
  const signed = (value: bigint) => BigInt.asIntN(Number(top) + 1, value);
  return truth(signed(left) * signed(right) !== signed(result));
};

const common = {
  p: evenParity,
  z: ({ result }: NotedFlags) => truth(result === 0n),
  s: ({ result }: NotedFlags, top: bigint) => result >> top,
};

const rows: Readonly<Record<FlagsKind, Readonly<Record<ArithmeticFlag, Formula>>>> = {
  raw: { c: rawBit("c"), p: rawBit("p"), a: rawBit("a"), z: rawBit("z"), s: rawBit("s"), o: rawBit("o") },
  add: { ...common, c: ({ left, result }) => truth(result < left), a: halfCarry, o: sumOverflow },
  sub: { ...common, c: ({ left, right }) => truth(left < right), a: halfCarry, o: differenceOverflow },
  logic: { ...common, c: never, a: never, o: never },
  inc: {
    ...common,
    c: keptCarry,
    a: ({ result }) => truth((result & 15n) === 0n),
    o: ({ result }, top) => truth(result === 1n << top),
  },
  dec: {
    ...common,
    c: keptCarry,
    a: ({ result }) => truth((result & 15n) === 15n),
    o: ({ result }, top) => truth(result === (1n << top) - 1n),
  },
  adc: {
    ...common,
    c: ({ left, right, result }, top) => ((left & right) | ((left | right) & ~result)) >> top,
    a: halfCarry,
    o: sumOverflow,
  },
  sbb: {
    ...common,
    c: ({ left, right, result }, top) => ((~left & right) | ((~left | right) & result)) >> top,
    a: halfCarry,
    o: differenceOverflow,
  },
  shl: {
    ...common,
    c: shiftedOutLeft,
    a: never,
    o: (noted, top) => (noted.result >> top) ^ shiftedOutLeft(noted, top),
  },
  shr: { ...common, c: shiftedOutRight, a: never, o: ({ left }, top) => left >> top },
  sar: { ...common, c: shiftedOutRight, a: never, o: never },
  imul: { c: productOverflow, o: productOverflow, p: never, a: never, z: never, s: never },
};

/** CF PF AF ZF SF OF in their EFLAGS positions. */
export function arithmeticBits(noted: NotedFlags): number {
  const row = rows[flagsKinds[(noted.code & codeMask) >>> 2]!];
  const top = BigInt(widths[noted.code & 3]! - 1);
  let bits = 0;
  for (const flag of arithmeticFlags) bits |= Number(row[flag](noted, top) & 1n) << eflagsBit[flag];
  if (!(noted.code & carryNoted)) return bits;
  const kept = bits & ~((1 << eflagsBit.c) | (1 << eflagsBit.o));
  const carry = (noted.code >>> carryShift) & 1;
  return kept | (carry << eflagsBit.c) | (((noted.code >>> overflowShift) & 1) << eflagsBit.o);
}
