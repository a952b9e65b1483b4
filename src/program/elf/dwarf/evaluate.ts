/**
 * What a DWARF expression says (DWARF 5, sections 2.5 and 2.6), as a pure function of registers, memory and the canonical
 * frame address. Always:
 * - What cannot be known (a register nobody saved, floating point, another thread's variables) is `undefined`, never a guess.
 * - Evaluation ends: a crafted expression that branches backwards stops after `MAX_STEPS`.
 */
import { generic, type NumberType, type Operand, stackOperations } from "./arithmetic.ts";
import type { Operation } from "./operations.ts";

/** What is known of a frame. All addresses are the running program's. */
export interface FrameState {
  /** By DWARF number (System V ABI for x86-64, figure 3.36). */
  register(number: number): bigint | undefined;
  /** Little-endian bytes as an unsigned number. */
  memory(address: bigint, size: number): bigint | undefined;
  cfa(): bigint | undefined;
}

/** What is asked about the moment a function was entered: an expression's value then, or a parameter by its entry. */
export type EntryQuestion = Uint8Array | number;

/** What an expression refers to beyond the frame. */
export interface Surroundings extends FrameState {
  frameBase(): bigint | undefined;
  entryValue(of: EntryQuestion): bigint | undefined;
  /** Where the file's address 0 is now. */
  readonly bias: bigint;
  addressOfIndex(index: number): bigint;
  /** The integer type at this offset in the expression's unit; undefined for floating point. */
  baseType(offset: number): NumberType | undefined;
}

export type Location =
  | { readonly kind: "memory"; readonly address: bigint }
  | { readonly kind: "register"; readonly register: number }
  /** Not stored anywhere: the value itself. */
  | { readonly kind: "value"; readonly value: bigint }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  /** A pointer that was optimised away, to the value of the variable whose entry is at `entry`. */
  | { readonly kind: "implicit-pointer"; readonly entry: number; readonly offset: number }
  | { readonly kind: "pieces"; readonly pieces: readonly Piece[] }
  /** Optimised out: known not to be anywhere. */
  | { readonly kind: "nowhere" };

export interface Piece {
  /** In bits. */
  readonly size: number;
  /** Undefined where it cannot be known. */
  readonly location: Location | undefined;
}

const MAX_STEPS = 10_000;
const MAX_STACK = 1_000;

/** The operations that say where, instead of computing. */
interface Progress {
  readonly stack: Operand[];
  location: Location | undefined;
  readonly pieces: Piece[];
}

/** Where a variable is; undefined when that cannot be known. */
export function locate(operations: readonly Operation[], around: Surroundings): Location | undefined {
  const state: Progress = { stack: [], location: undefined, pieces: [] };
  if (!run(operations, around, state)) return undefined;
  if (state.pieces.length > 0) return { kind: "pieces", pieces: state.pieces };
  return describe(state, operations.length === 0);
}

/** The number an expression computes on a stack that begins with `initial`; undefined when it cannot be known. */
export function compute(
  operations: readonly Operation[],
  around: Surroundings,
  initial: readonly bigint[] = [],
): bigint | undefined {
  const stack = initial.map((value) => ({ value, type: generic }));
  const state: Progress = { stack, location: undefined, pieces: [] };
  if (!run(operations, around, state)) return undefined;
  if (state.location?.kind === "register") return around.register(state.location.register);
  return state.location?.kind === "value" ? state.location.value : state.stack.at(-1)?.value;
}

function describe({ location, stack }: Progress, empty: boolean): Location | undefined {
  if (location !== undefined) return location;
  const top = stack.at(-1);
  if (top !== undefined) return { kind: "memory", address: BigInt.asUintN(64, top.value) };
  return empty ? { kind: "nowhere" } : undefined;
}

/** False when the expression asks for something unknown or makes no sense. */
function run(operations: readonly Operation[], around: Surroundings, state: Progress): boolean {
  const positions = new Map(operations.map(({ at }, index) => [at, index]));
  let index = 0;
  for (let step = 0; index < operations.length; step++) {
    const operation = operations[index] as Operation;
    if (step > MAX_STEPS || state.stack.length > MAX_STACK) return false;
    if (operation.name === "skip" || operation.name === "bra") {
      const taken = operation.name === "skip" || state.stack.pop()?.value !== 0n;
      const target = operation.next + (taken ? Number(operation.numbers[0]) : 0);
      const next = target === operations.at(-1)?.next ? operations.length : positions.get(target);
      if (next === undefined) return false;
      index = next;
      continue;
    }
    if (!perform(operation, around, state)) return false;
    index++;
  }
  return true;
}

function perform(operation: Operation, around: Surroundings, state: Progress): boolean {
  const place = places[operation.name];
  if (place !== undefined) return place(operation, around, state);
  const source = sources[operation.name];
  if (source !== undefined) {
    const value = source(operation, around);
    if (value === undefined) return false;
    state.stack.push({ value: BigInt.asUintN(64, value), type: generic });
    return true;
  }
  return stackOperations[operation.name]?.(state.stack, operation, around) ?? false;
}

const first = ({ numbers }: Operation) => numbers[0] as bigint;
const second = ({ numbers }: Operation) => numbers[1] as bigint;
const sum = (base: bigint | undefined, offset: bigint) => (base === undefined ? undefined : base + offset);

/** Operations that push a number of the generic type. */
const sources: Partial<Record<string, (operation: Operation, around: Surroundings) => bigint | undefined>> = {
  addr: (operation, { bias }) => first(operation) + bias,
  addrx: (operation, around) => around.addressOfIndex(Number(first(operation))) + around.bias,
  constx: (operation, around) => around.addressOfIndex(Number(first(operation))),
  ...Object.fromEntries(
    [
      "lit",
      "const1u",
      "const1s",
      "const2u",
      "const2s",
      "const4u",
      "const4s",
      "const8u",
      "const8s",
      "constu",
      "consts",
    ].map((name) => [name, first]),
  ),
  breg: (operation, around) => sum(around.register(Number(first(operation))), second(operation)),
  bregx: (operation, around) => sum(around.register(Number(first(operation))), second(operation)),
  fbreg: (operation, around) => sum(around.frameBase(), first(operation)),
  call_frame_cfa: (_, around) => around.cfa(),
  entry_value: ({ block }, around) => around.entryValue(block),
  gnu_parameter_ref: (operation, around) => around.entryValue(Number(first(operation))),
};

const at = (location: Location) => (_: Operation, __: Surroundings, state: Progress) => {
  state.location = location;
  return true;
};
const inRegister = (operation: Operation, around: Surroundings, state: Progress) =>
  at({ kind: "register", register: Number(first(operation)) })(operation, around, state);

const places: Partial<Record<string, (operation: Operation, around: Surroundings, state: Progress) => boolean>> = {
  reg: inRegister,
  regx: inRegister,
  implicit_value: (operation, around, state) => at({ kind: "bytes", bytes: operation.block })(operation, around, state),
  implicit_pointer: (operation, around, state) =>
    at({ kind: "implicit-pointer", entry: Number(first(operation)), offset: Number(second(operation)) })(
      operation,
      around,
      state,
    ),
  stack_value: (operation, around, state) => {
    const top = state.stack.pop();
    return top !== undefined && at({ kind: "value", value: top.value })(operation, around, state);
  },
  piece: (operation, _, state) => endPiece(state, Number(first(operation)) * 8),
  bit_piece: (operation, _, state) => endPiece(state, Number(first(operation))),
};

function endPiece(state: Progress, size: number): boolean {
  state.pieces.push({ size, location: describe(state, true) });
  state.location = undefined;
  state.stack.length = 0;
  return true;
}
