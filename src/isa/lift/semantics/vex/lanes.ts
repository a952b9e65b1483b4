/**
 * VEX forms made from the legacy ones: what a legacy instruction does to an XMM register is done to each lane (SDM vol. 2:
 * the "VEX.128" and "VEX.256" parts of an instruction's operation). Two kinds:
 * - `changes`: the legacy form changes its first operand; the VEX form takes that operand's old value from a source of its
 *   own and writes the result elsewhere.
 * - `makes`: the legacy form overwrites its first operand.
 */
import { assert } from "../../../../base/index.ts";
import type { Value } from "../../../ir/index.ts";
import type { Instruction, Operand } from "../../../x86/index.ts";
import type { Builder, Lift } from "../../builder.ts";
import { sseSemantics } from "../sse/index.ts";
import { hasLanes, isVectorRegister, laneCount, readLanes, writeLanes } from "./operands.ts";

/** What the immediate is in a lane, for instructions whose lanes have bits of their own. */
export type LaneControl = (control: bigint, lane: number) => bigint;
const sameControl: LaneControl = (control) => control;

type Source = { readonly lanes: readonly Value[] } | { readonly operand: Operand };

/** Reads what has lanes; the legacy semantics read the rest: elements in memory, general registers, immediates. */
const readSource = (b: Builder, operand: Operand): Source =>
  hasLanes(operand) ? { lanes: readLanes(b, operand) } : { operand };

function operandOfLane(b: Builder, source: Source, lane: number, control: LaneControl): Operand {
  // One lane for all is a count of bits to shift by.
  if ("lanes" in source) return b.temporary(b.otherLane(source.lanes[lane] ?? source.lanes[0]!));
  const { operand } = source;
  return operand.kind === "imm" ? { ...operand, value: control(operand.value, lane) } : operand;
}

/** The vector that the legacy semantics make of these operands, the first of which they write. */
export function computed(b: Builder, instruction: Instruction, lift: Lift, operands: readonly Operand[]): Value {
  lift(b, { ...instruction, operands });
  return b.readVector(operands[0]!);
}

/** The same for an instruction that overwrites its first operand and has one source. */
export const computedOf = (b: Builder, instruction: Instruction, lift: Lift, source: Value): Value =>
  computed(b, instruction, lift, [b.temporary(b.v128(0n)), b.temporary(b.otherLane(source))]);

function lanewise(lift: Lift, isChanged: boolean, control: LaneControl): Lift {
  return (b, instruction) => {
    const [destination, ...operands] = instruction.operands;
    if (!isVectorRegister(destination!)) return lift(b, instruction);
    const sources = operands.map((operand) => readSource(b, operand));
    const results = Array.from({ length: laneCount(instruction) }, (_, lane) => {
      const given = sources.map((source) => operandOfLane(b, source, lane, control));
      return computed(b, instruction, lift, isChanged ? given : [b.temporary(b.v128(0n)), ...given]);
    });
    b.askForFloatTrap();
    writeLanes(b, destination!, results);
  };
}

export const changes = (lift: Lift, control = sameControl): Lift => lanewise(lift, true, control);
export const makes = (lift: Lift, control = sameControl): Lift => lanewise(lift, false, control);

/** Rows for VEX mnemonics, made of the legacy rows of these names. */
export const vexRows = (names: readonly string[], make: (lift: Lift) => Lift): Readonly<Record<string, Lift>> =>
  Object.fromEntries(names.map((name) => [`v${name}`, make(legacy(name))]));

/** The legacy row of a name. */
export function legacy(name: string): Lift {
  const lift = sseSemantics[name];
  assert(lift !== undefined, `lift: ${name} has a legacy row`);
  return lift;
}
