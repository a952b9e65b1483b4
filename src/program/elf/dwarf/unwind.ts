/** From a frame to its caller's, by the rules at its address. What a rule cannot say stays unknown in the caller. */
import { Cursor } from "../cursor.ts";
import * as errors from "../errors.ts";
import { compute, type FrameState, type Surroundings } from "./evaluate.ts";
import type { CfaRule, FrameRules, RegisterRule } from "./frame-rules.ts";
import { readOperations } from "./operations.ts";

/** Rules' expressions see registers and memory alone. */
const bare = (state: Omit<FrameState, "cfa">, cfa: bigint | undefined): Surroundings => ({
  register: (number) => state.register(number),
  memory: (address, size) => state.memory(address, size),
  cfa: () => cfa,
  frameBase: () => undefined,
  entryValue: () => undefined,
  bias: 0n,
  addressOfIndex: () => 0n,
  baseType: () => undefined,
});

const computed = (expression: Uint8Array, around: Surroundings, path: string, initial: readonly bigint[] = []) => {
  const fail = () => errors.badDebugInfo(path, "an unwinding rule is garbled");
  const cursor = new Cursor(expression, 0, expression.length, fail);
  return compute(readOperations(cursor, { addressSize: 8, offsetSize: 4 }), around, initial);
};

export type Registers = Pick<FrameState, "register" | "memory">;

export function cfaOf(rule: CfaRule, state: Registers, path: string): bigint | undefined {
  if (rule.kind === "expression") return computed(rule.expression, bare(state, undefined), path);
  const base = state.register(rule.register);
  return base === undefined ? undefined : BigInt.asUintN(64, base + BigInt(rule.offset));
}

const STACK_POINTER = 7;

/** The caller's registers by DWARF number, the return address among them; undefined when the frame cannot be found. */
export function callerRegisters(
  rules: FrameRules,
  state: Registers,
  path: string,
): ((number: number) => bigint | undefined) | undefined {
  const cfa = cfaOf(rules.cfa, state, path);
  if (cfa === undefined) return undefined;
  const known = new Map<number, bigint | undefined>([[STACK_POINTER, cfa]]);
  return (number) => {
    if (!known.has(number)) known.set(number, follow(rules.registers.get(number), number, cfa, state, path));
    return known.get(number);
  };
}

function follow(
  rule: RegisterRule | undefined,
  number: number,
  cfa: bigint,
  state: Registers,
  path: string,
): bigint | undefined {
  if (rule === undefined || rule.kind === "same") return state.register(number);
  const at = (address: bigint | undefined) =>
    address === undefined ? undefined : state.memory(BigInt.asUintN(64, address), 8);
  const viaExpression = (expression: Uint8Array) => computed(expression, bare(state, cfa), path, [cfa]);
  if (rule.kind === "saved") return at(cfa + BigInt(rule.offset));
  if (rule.kind === "offset") return BigInt.asUintN(64, cfa + BigInt(rule.offset));
  if (rule.kind === "register") return state.register(rule.register);
  if (rule.kind === "saved-at") return at(viaExpression(rule.expression));
  if (rule.kind === "computed") return viaExpression(rule.expression);
  return undefined;
}
