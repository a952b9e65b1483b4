/**
 * Rows that move data: loads, stores, constants, exchanges, conditional moves and stack management
 * (SDM vol. 1, 8.3.3, 8.3.4). Always: moves of whole registers copy the bits, unsupported patterns included.
 */
import {
  BCD_INDEFINITE,
  binary32,
  binary64,
  DEFAULT_NAN,
  DENORMAL,
  extended80,
  type Format,
  finite,
  fromBcd,
  INEXACT,
  INVALID,
  isNumber,
  OVERFLOW,
  pack32,
  pack64,
  packSignExponent80,
  packSignificand80,
  propagateOne,
  round,
  roundUnpacked,
  TOWARD_ZERO,
  toBcd,
  toInteger,
  UNDERFLOW,
  type Unpacked,
  zero,
} from "../softfloat/index.ts";
import {
  begin,
  C1,
  DONE,
  env,
  makeRoom,
  SUPPRESSED,
  setConditions,
  settle,
  stackFault,
  stackUnderflow,
} from "./faults.ts";
import { type Decode, m16int, m32fp, m32int, m64fp, m64int } from "./operands.ts";
import { argument, operation, type Run, registerIndex, type Table } from "./operation.ts";
import type { X87State } from "./state.ts";

function pushBits(unit: X87State, significand: bigint, signExponent: number): bigint {
  if (!makeRoom(unit)) return DONE;
  setConditions(unit, C1, 0);
  unit.writeBits(0, significand, signExponent);
  return DONE;
}

const push = (unit: X87State, value: Unpacked): bigint =>
  pushBits(unit, packSignificand80(value), packSignExponent80(value));

/** FLD m32fp and m64fp: the only loads that look at the value. An unmasked denormal operand is loaded all the same. */
const loadFloat =
  (decode: Decode): Run =>
  (unit, args) => {
    if (!unit.isEmpty(7)) return push(unit, DEFAULT_NAN);
    begin(unit);
    const value = decode(argument(args, 0));
    if (value.denormal) env.flags |= DENORMAL;
    const loaded = isNumber(value) ? value : propagateOne(env, value);
    settle(unit);
    return env.flags & INVALID & ~env.masks ? SUPPRESSED : push(unit, loaded);
  };

const load =
  (decode: Decode): Run =>
  (unit, args) =>
    push(unit, decode(argument(args, 0)));

const loadRegister: Run = (unit, args) => {
  const index = registerIndex(args);
  if (!unit.isEmpty(index)) return pushBits(unit, unit.significand(index), unit.signExponent(index));
  if (!stackFault(unit, false)) return SUPPRESSED;
  unit.top = unit.top - 1;
  unit.write(0, DEFAULT_NAN);
  return DONE;
};

/** A constant kept to 128 bits and rounded as the control word says; never inexact. */
const constant =
  (exponent: number, significand: bigint): Run =>
  (unit) => {
    begin(unit);
    return push(unit, round(env, extended80, 0, exponent, significand, 128));
  };

/** Ends a store: nothing is written or popped when `stopping` exceptions are unmasked. */
function finishStore(unit: X87State, result: bigint, stopping: number, pops: number): bigint {
  const stopped = (env.flags & stopping & ~env.masks) !== 0;
  if (stopped) {
    env.flags &= ~INEXACT;
    env.roundedUp = false;
  }
  settle(unit);
  if (stopped) return SUPPRESSED;
  for (let i = 0; i < pops; i++) unit.pop();
  return result;
}

function storeOfEmpty(unit: X87State, indefinite: bigint, pops: number): bigint {
  if (!stackFault(unit, false)) return SUPPRESSED;
  for (let i = 0; i < pops; i++) unit.pop();
  return indefinite;
}

const storeFloat =
  (format: Format, pack: (value: Unpacked) => bigint, pops: number): Run =>
  (unit) => {
    if (unit.isEmpty(0)) return storeOfEmpty(unit, pack(DEFAULT_NAN), pops);
    begin(unit);
    const value = unit.read(0);
    const rounded = isNumber(value) ? roundUnpacked(env, format, value) : propagateOne(env, value);
    return finishStore(unit, pack(rounded), INVALID | OVERFLOW | UNDERFLOW, pops);
  };

const asBinary32 = (value: Unpacked): bigint => BigInt(pack32(value));

const storeInteger =
  (bits: number, pops: number, truncate = false): Run =>
  (unit) => {
    if (unit.isEmpty(0)) return storeOfEmpty(unit, 1n << BigInt(bits - 1), pops);
    begin(unit);
    const result = toInteger(env, unit.read(0), bits, truncate ? TOWARD_ZERO : env.rounding);
    return finishStore(unit, result, INVALID, pops);
  };

const storeBcd: Run = (unit) => {
  if (unit.isEmpty(0)) return storeOfEmpty(unit, BCD_INDEFINITE, 1);
  begin(unit);
  return finishStore(unit, toBcd(env, unit.read(0), env.rounding), INVALID, 1);
};

const storeExtended: Run = (unit) => {
  if (unit.isEmpty(0)) return storeOfEmpty(unit, 0xffffc000000000000000n, 1);
  setConditions(unit, C1, 0);
  const bits = (BigInt(unit.signExponent(0)) << 64n) | unit.significand(0);
  unit.pop();
  return bits;
};

const storeRegister =
  (pops: number): Run =>
  (unit, args) => {
    const index = registerIndex(args);
    if (unit.isEmpty(0)) return stackUnderflow(unit, index, pops);
    setConditions(unit, C1, 0);
    unit.writeBits(index, unit.significand(0), unit.signExponent(0));
    for (let i = 0; i < pops; i++) unit.pop();
    return DONE;
  };

/** An undocumented alias of FSTP: of an empty register it copies nothing and faults not. */
const storeRegisterQuietly: Run = (unit, args) => {
  if (!unit.isEmpty(0)) return storeRegister(1)(unit, args);
  setConditions(unit, C1, 0);
  unit.pop();
  return DONE;
};

const exchange: Run = (unit, args) => {
  const index = registerIndex(args);
  setConditions(unit, C1, 0);
  if (unit.isEmpty(0) || unit.isEmpty(index)) {
    if (!stackFault(unit, false)) return SUPPRESSED;
    for (const empty of [0, index]) if (unit.isEmpty(empty)) unit.write(empty, DEFAULT_NAN);
  }
  const significand = unit.significand(0);
  const signExponent = unit.signExponent(0);
  unit.writeBits(0, unit.significand(index), unit.signExponent(index));
  unit.writeBits(index, significand, signExponent);
  return DONE;
};

/** The second argument says whether the condition holds. */
const conditionalMove: Run = (unit, args) => {
  const index = registerIndex(args);
  if (unit.isEmpty(0) || unit.isEmpty(index)) return stackUnderflow(unit, 0);
  if (argument(args, 1) !== 0n) unit.writeBits(0, unit.significand(index), unit.signExponent(index));
  return DONE;
};

const rotate =
  (by: number): Run =>
  (unit) => {
    unit.top = unit.top + by;
    setConditions(unit, C1, 0);
    return DONE;
  };

const free =
  (pops: number): Run =>
  (unit, args) => {
    setConditions(unit, C1, 0);
    unit.setEmpty(registerIndex(args));
    for (let i = 0; i < pops; i++) unit.pop();
    return DONE;
  };

// biome-ignore format: columns stay aligned
export const transferOperations: Table = {
  Fld_m32fp:          operation(loadFloat(m32fp)),
  Fld_m64fp:          operation(loadFloat(m64fp)),
  Fld_m80fp:          operation((unit, args) => pushBits(unit, argument(args, 0), Number(argument(args, 1)))),
  Fld_sti:            operation(loadRegister),
  Fild_m16int:        operation(load(m16int)),
  Fild_m32int:        operation(load(m32int)),
  Fild_m64int:        operation(load(m64int)),
  Fbld_m80bcd:        operation((unit, args) => push(unit, fromBcd(argument(args, 0) | (argument(args, 1) << 64n)))),
  Fld1:               operation((unit) => push(unit, finite(0, 0, 1n << 63n))),
  Fldz:               operation((unit) => push(unit, zero(0))),
  Fldl2t:             operation(constant(1,  0xd49a784bcd1b8afe492bf6ff4dafdb4cn)),
  Fldl2e:             operation(constant(0,  0xb8aa3b295c17f0bbbe87fed0691d3e88n)),
  Fldpi:              operation(constant(1,  0xc90fdaa22168c234c4c6628b80dc1cd1n)),
  Fldlg2:             operation(constant(-2, 0x9a209a84fbcff7988f8959ac0b7c9178n)),
  Fldln2:             operation(constant(-1, 0xb17217f7d1cf79abc9e3b39803f2f6afn)),
  Fst_m32fp:          operation(storeFloat(binary32, asBinary32, 0)),
  Fstp_m32fp:         operation(storeFloat(binary32, asBinary32, 1)),
  Fst_m64fp:          operation(storeFloat(binary64, pack64, 0)),
  Fstp_m64fp:         operation(storeFloat(binary64, pack64, 1)),
  Fstp_m80fp:         operation(storeExtended),
  Fst_sti:            operation(storeRegister(0)),
  Fstp_sti:           operation(storeRegister(1)),
  Fstpnce_sti:        operation(storeRegisterQuietly),
  Fstp_sti_DFD0:      operation(storeRegister(1)),
  Fstp_sti_DFD8:      operation(storeRegister(1)),
  Fist_m16int:        operation(storeInteger(16, 0)),
  Fistp_m16int:       operation(storeInteger(16, 1)),
  Fist_m32int:        operation(storeInteger(32, 0)),
  Fistp_m32int:       operation(storeInteger(32, 1)),
  Fistp_m64int:       operation(storeInteger(64, 1)),
  Fisttp_m16int:      operation(storeInteger(16, 1, true)),
  Fisttp_m32int:      operation(storeInteger(32, 1, true)),
  Fisttp_m64int:      operation(storeInteger(64, 1, true)),
  Fbstp_m80bcd:       operation(storeBcd),
  Fxch_st0_sti:       operation(exchange),
  Fxch_st0_sti_DDC8:  operation(exchange),
  Fxch_st0_sti_DFC8:  operation(exchange),
  Fcmovb_st0_sti:     operation(conditionalMove),
  Fcmove_st0_sti:     operation(conditionalMove),
  Fcmovbe_st0_sti:    operation(conditionalMove),
  Fcmovu_st0_sti:     operation(conditionalMove),
  Fcmovnb_st0_sti:    operation(conditionalMove),
  Fcmovne_st0_sti:    operation(conditionalMove),
  Fcmovnbe_st0_sti:   operation(conditionalMove),
  Fcmovnu_st0_sti:    operation(conditionalMove),
  Fincstp:            operation(rotate(1)),
  Fdecstp:            operation(rotate(-1)),
  Ffree_sti:          operation(free(0)),
  Ffreep_sti:         operation(free(1)),
  Fnop:               operation(() => DONE),
};
