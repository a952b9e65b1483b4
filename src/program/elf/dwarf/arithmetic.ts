/**
 * The stack of a DWARF expression: numbers with the type they have (DWARF 5, section 2.5.1). The generic type is as wide
 * as an address and of no particular sign. Floating point is not computed: an expression that needs it is unknown.
 */
import type { Surroundings } from "./evaluate.ts";
import { type Operation, type OperationName, unsignedOf } from "./operations.ts";

export interface NumberType {
  readonly bits: number;
  readonly signed: boolean;
}

export interface Operand {
  /** Unsigned, no wider than its type. */
  readonly value: bigint;
  readonly type: NumberType;
}

/** Its division, shifts to the right with sign and comparisons are signed; its remainder is not (DWARF 5, 2.5.1.4). */
export const generic: NumberType = { bits: 64, signed: true };

type StackOperation = (stack: Operand[], operation: Operation, around: Surroundings) => boolean;

const signedValue = ({ value, type }: Operand) => BigInt.asIntN(type.bits, value);
const ownValue = (operand: Operand) => (operand.type.signed ? signedValue(operand) : operand.value);
const typed = (value: bigint, type: NumberType): Operand => ({ value: BigInt.asUintN(type.bits, value), type });

const unary =
  (apply: (operand: Operand) => bigint): StackOperation =>
  (stack) => {
    const operand = stack.pop();
    if (operand === undefined) return false;
    stack.push(typed(apply(operand), operand.type));
    return true;
  };

/** Undefined stands for a division by zero. */
const binary =
  (apply: (left: Operand, right: Operand) => bigint | undefined): StackOperation =>
  (stack) => {
    const [right, left] = [stack.pop(), stack.pop()];
    if (left === undefined || right === undefined) return false;
    const value = apply(left, right);
    if (value === undefined) return false;
    stack.push(typed(value, left.type));
    return true;
  };

const comparison =
  (holds: (left: bigint, right: bigint) => boolean): StackOperation =>
  (stack) => {
    const [right, left] = [stack.pop(), stack.pop()];
    if (left === undefined || right === undefined) return false;
    stack.push({ value: holds(ownValue(left), ownValue(right)) ? 1n : 0n, type: generic });
    return true;
  };

const shift =
  (apply: (left: Operand, distance: bigint) => bigint): StackOperation =>
  (stack, operation, around) =>
    binary((left, right) => apply(left, right.value > 127n ? 127n : right.value))(stack, operation, around);

const remainder = (left: Operand, right: Operand) => {
  if (right.value === 0n) return undefined;
  return left.type === generic ? left.value % right.value : ownValue(left) % ownValue(right);
};

/** Brings the entry at a depth to the top, as a copy. */
const copy = (depth: (operation: Operation) => number): StackOperation => {
  return (stack, operation) => {
    const operand = stack.at(-1 - depth(operation));
    if (operand === undefined) return false;
    stack.push(operand);
    return true;
  };
};

const load =
  (
    size: (operation: Operation) => number,
    type: (operation: Operation, around: Surroundings) => NumberType | undefined,
  ): StackOperation =>
  (stack, operation, around) => {
    const address = stack.pop();
    const [bytes, kind] = [size(operation), type(operation, around)];
    if (address === undefined || kind === undefined || bytes < 1 || bytes > 8) return false;
    const value = around.memory(address.value, bytes);
    if (value === undefined) return false;
    stack.push(typed(value, kind));
    return true;
  };

const typeOf = (operation: Operation, index: number, around: Surroundings): NumberType | undefined => {
  const offset = Number(operation.numbers[index]);
  return offset === 0 ? generic : around.baseType(offset);
};

const pushTyped = (stack: Operand[], value: bigint | undefined, type: NumberType | undefined): boolean => {
  if (value === undefined || type === undefined) return false;
  stack.push(typed(value, type));
  return true;
};

export const stackOperations: Partial<Record<OperationName, StackOperation>> = {
  nop: () => true,
  gnu_uninit: () => true,
  dup: copy(() => 0),
  over: copy(() => 1),
  pick: copy(({ numbers }) => Number(numbers[0])),
  drop: (stack) => stack.pop() !== undefined,
  swap: (stack) => stack.length >= 2 && stack.push(...stack.splice(-2, 2).reverse()) > 0,
  rot: (stack) => stack.length >= 3 && stack.splice(-3, 0, stack.pop() as Operand) !== undefined,
  deref: load(
    () => 8,
    () => generic,
  ),
  deref_size: load(
    ({ numbers }) => Number(numbers[0]),
    () => generic,
  ),
  deref_type: load(
    ({ numbers }) => Number(numbers[0]),
    (operation, around) => typeOf(operation, 1, around),
  ),
  const_type: (stack, operation, around) => pushTyped(stack, unsignedOf(operation.block), typeOf(operation, 0, around)),
  regval_type: (stack, operation, around) =>
    pushTyped(stack, around.register(Number(operation.numbers[0])), typeOf(operation, 1, around)),
  convert: (stack, operation, around) => {
    const operand = stack.pop();
    return operand !== undefined && pushTyped(stack, ownValue(operand), typeOf(operation, 0, around));
  },
  reinterpret: (stack, operation, around) => pushTyped(stack, stack.pop()?.value, typeOf(operation, 0, around)),
  plus_uconst: (stack, { numbers }, around) =>
    unary(({ value }) => value + (numbers[0] as bigint))(stack, {} as Operation, around),
  abs: unary((operand) => (signedValue(operand) < 0n ? -signedValue(operand) : operand.value)),
  neg: unary(({ value }) => -value),
  not: unary(({ value }) => ~value),
  and: binary((left, right) => left.value & right.value),
  or: binary((left, right) => left.value | right.value),
  xor: binary((left, right) => left.value ^ right.value),
  plus: binary((left, right) => left.value + right.value),
  minus: binary((left, right) => left.value - right.value),
  mul: binary((left, right) => left.value * right.value),
  div: binary((left, right) => (right.value === 0n ? undefined : ownValue(left) / ownValue(right))),
  mod: binary(remainder),
  shl: shift(({ value }, distance) => value << distance),
  shr: shift(({ value }, distance) => value >> distance),
  shra: shift((left, distance) => signedValue(left) >> distance),
  eq: comparison((left, right) => left === right),
  ne: comparison((left, right) => left !== right),
  lt: comparison((left, right) => left < right),
  le: comparison((left, right) => left <= right),
  gt: comparison((left, right) => left > right),
  ge: comparison((left, right) => left >= right),
};
