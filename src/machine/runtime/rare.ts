/**
 * The interpreter's instructions on vectors and floats, macros and helpers, in functions of their own: (pc) → bytes to
 * go on by. V8 takes longer than in proportion to optimise a long function, and has it done soon for a long one: each
 * call is charged with the function's length. Most programs use few of these instructions, so that they are in groups.
 */
import { helpers, macros } from "../../isa/ir/index.ts";
import { Code, numeric } from "../../isa/wasm/index.ts";
import { instructions, isRare, type RareInstruction, wordsOf } from "./opcodes.ts";
import { Slots } from "./slots.ts";

export interface RareContext {
  readonly macros: Readonly<Record<string, number>>;
  readonly helpers: Readonly<Record<string, number>>;
}

/** Of one function: those of a kind are neighbours in the table. */
export const rareGroupSize = 24;
const rare = instructions.filter(isRare);
const firstRare = instructions.length - rare.length;

export const rareFunctions = (context: RareContext): readonly Code[] =>
  Array.from({ length: Math.ceil(rare.length / rareGroupSize) }, (_, group) => rareFunction(group, context));

function rareFunction(index: number, context: RareContext): Code {
  const pc = 0;
  const c = new Code(["i32"]);
  const slots = new Slots(c, pc);
  const first = index * rareGroupSize;
  const group = rare.slice(first, first + rareGroupSize);
  const other = c.block();
  const labels = group.map(() => c.block()).reverse();
  slots
    .word(0)
    .i32(firstRare + first)
    .op("i32.sub")
    .brTable(labels, other);
  for (const instruction of group) {
    c.end();
    emitRare(c, slots, instruction, context);
    c.i32(4 * wordsOf(instruction)).return_();
  }
  c.end();
  c.unreachable();
  return c;
}

function emitRare(c: Code, slots: Slots, instruction: RareInstruction, context: RareContext): void {
  switch (instruction.kind) {
    case "numeric": {
      const { params, result } = numeric[instruction.name];
      return slots.pure(params, result, () => c.op(instruction.name, instruction.lane));
    }
    case "macro": {
      const { params, result } = macros[instruction.name];
      return slots.pure(params, result, () => c.call(context.macros[instruction.name]!));
    }
    case "helper": {
      const { params, result } = helpers[instruction.name];
      return slots.pure(params, result, () => c.call(context.helpers[instruction.name]!));
    }
    case "select":
      return slots.select(instruction.type);
  }
}
