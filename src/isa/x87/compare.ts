/**
 * Comparison rows (SDM vol. 1, 8.3.6): results in the condition codes C3 C2 C0, or for FCOMI in ZF PF CF.
 * Always: they are set even when an exception is unmasked; only the pops are then left out.
 */
import { compare, type Ordering, type Unpacked, zero } from "../softfloat/index.ts";
import { begin, C0, C1, C2, C3, DONE, env, setConditions, settle, stackFault } from "./faults.ts";
import { type Decode, m16int, m32fp, m32int, m64fp } from "./operands.ts";
import { argument, operation, type Run, registerIndex, type Table } from "./operation.ts";
import type { X87State } from "./state.ts";

const conditions: Record<Ordering, number> = { greater: 0, less: C0, equal: C3, unordered: C0 | C2 | C3 };

const CF = 0x01n;
const PF = 0x04n;
const ZF = 0x40n;
const eflags: Record<Ordering, bigint> = { greater: 0n, less: CF, equal: ZF, unordered: ZF | PF | CF };

/** The ordering of ST(0) and another operand (undefined when that is empty). Pops unless an exception is unmasked. */
function orderWithTop(unit: X87State, other: Unpacked | undefined, quietIsInvalid: boolean, pops: number): Ordering {
  let order: Ordering = "unordered";
  let popping: boolean;
  if (unit.isEmpty(0) || other === undefined) {
    popping = stackFault(unit, false);
  } else {
    begin(unit);
    order = compare(env, unit.read(0), other, quietIsInvalid);
    popping = settle(unit);
  }
  if (popping) for (let i = 0; i < pops; i++) unit.pop();
  return order;
}

function toConditions(unit: X87State, order: Ordering): bigint {
  setConditions(unit, C0 | C2 | C3, conditions[order]);
  return DONE;
}

const register = (unit: X87State, index: number): Unpacked | undefined =>
  unit.isEmpty(index) ? undefined : unit.read(index);

const withMemory =
  (decode: Decode, pops: number): Run =>
  (unit, args) =>
    toConditions(unit, orderWithTop(unit, decode(argument(args, 0)), true, pops));

const withRegister =
  (quietIsInvalid: boolean, pops: number): Run =>
  (unit, args) =>
    toConditions(unit, orderWithTop(unit, register(unit, registerIndex(args)), quietIsInvalid, pops));

const withSecond =
  (quietIsInvalid: boolean): Run =>
  (unit) =>
    toConditions(unit, orderWithTop(unit, register(unit, 1), quietIsInvalid, 2));

const intoFlags =
  (quietIsInvalid: boolean, pops: number): Run =>
  (unit, args) => {
    const other = register(unit, registerIndex(args));
    const kept = unit.isEmpty(0) || other === undefined ? 0 : unit.status & C1;
    const order = orderWithTop(unit, other, quietIsInvalid, pops);
    setConditions(unit, C1, kept);
    return eflags[order];
  };

const test: Run = (unit) => toConditions(unit, orderWithTop(unit, zero(0), true, 0));

/** The class of ST(0) in C3 C2 C0, its sign in C1. */
const examine: Run = (unit) => {
  const sign = unit.signExponent(0) & 0x8000 ? C1 : 0;
  setConditions(unit, C0 | C1 | C2 | C3, sign | (unit.isEmpty(0) ? C3 | C0 : classOf(unit.read(0))));
  return DONE;
};

function classOf(value: Unpacked): number {
  if (value.denormal) return C3 | C2;
  if (value.kind === "finite") return C2;
  if (value.kind === "zero") return C3;
  if (value.kind === "infinity") return C2 | C0;
  return value.kind === "unsupported" ? 0 : C0;
}

// biome-ignore format: columns stay aligned
export const compareOperations: Table = {
  Fcom_m32fp:         operation(withMemory(m32fp, 0)),
  Fcomp_m32fp:        operation(withMemory(m32fp, 1)),
  Fcom_m64fp:         operation(withMemory(m64fp, 0)),
  Fcomp_m64fp:        operation(withMemory(m64fp, 1)),
  Ficom_m16int:       operation(withMemory(m16int, 0)),
  Ficomp_m16int:      operation(withMemory(m16int, 1)),
  Ficom_m32int:       operation(withMemory(m32int, 0)),
  Ficomp_m32int:      operation(withMemory(m32int, 1)),
  Fcom_st0_sti:       operation(withRegister(true, 0)),
  Fcomp_st0_sti:      operation(withRegister(true, 1)),
  Fcom_st0_sti_DCD0:  operation(withRegister(true, 0)),
  Fcomp_st0_sti_DCD8: operation(withRegister(true, 1)),
  Fcomp_st0_sti_DED0: operation(withRegister(true, 1)),
  Fucom_st0_sti:      operation(withRegister(false, 0)),
  Fucomp_st0_sti:     operation(withRegister(false, 1)),
  Fcompp:             operation(withSecond(true)),
  Fucompp:            operation(withSecond(false)),
  Fcomi_st0_sti:      operation(intoFlags(true, 0)),
  Fcomip_st0_sti:     operation(intoFlags(true, 1)),
  Fucomi_st0_sti:     operation(intoFlags(false, 0)),
  Fucomip_st0_sti:    operation(intoFlags(false, 1)),
  Ftst:               operation(test),
  Fxam:               operation(examine),
};
