/**
 * The interpreter's instructions on vectors and floats, macros and helpers, in a function of their own: (pc) → bytes to
 * go on by. V8 takes longer than in proportion to optimise a long function, and the interpreter's own is optimised in
 * every run.
 */
import { helpers, macros } from "../ir/index.ts";
import { Code, numeric, type ValueType } from "../wasm/index.ts";
import { type Instruction, instructions, wordsOf } from "./opcodes.ts";
import { Slots } from "./slots.ts";

type RareInstruction = Instruction & { readonly kind: "numeric" | "macro" | "helper" | "select" };

const isInteger = (type: ValueType): boolean => type === "i32" || type === "i64";

export function isRare(instruction: Instruction): instruction is RareInstruction {
  switch (instruction.kind) {
    case "macro":
    case "helper":
      return true;
    case "select":
      return !isInteger(instruction.type);
    case "numeric": {
      const { params, result } = numeric[instruction.name];
      return ![...params, result].every(isInteger);
    }
    default:
      return false;
  }
}

export interface RareContext {
  readonly macros: Readonly<Record<string, number>>;
  readonly helpers: Readonly<Record<string, number>>;
}

export function rareFunction(context: RareContext): Code {
  const pc = 0;
  const c = new Code(["i32"]);
  const slots = new Slots(c, pc);
  const rare = instructions.filter(isRare);
  const other = c.block();
  const labels = rare.map(() => c.block());
  const byOpcode = instructions.map((instruction) =>
    isRare(instruction) ? labels[rare.length - 1 - rare.indexOf(instruction)]! : other,
  );
  slots.word(0).brTable(byOpcode, other);
  for (const instruction of rare) {
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
