/** An instruction's words and operands, for code that interprets it: `pc` is the local that points at the instruction. */
import type { Code, MemoryOp, ValueType } from "../../isa/wasm/index.ts";

const slotLoad: Readonly<Record<ValueType, MemoryOp>> = {
  i32: "i32.load",
  i64: "i64.load",
  f32: "f32.load",
  f64: "f64.load",
  v128: "v128.load",
};

export class Slots {
  readonly #c: Code;
  readonly #pc: number;

  constructor(c: Code, pc: number) {
    this.#c = c;
    this.#pc = pc;
  }

  word(index: number): Code {
    return this.#c.get(this.#pc).memory("i32.load", 4 * index);
  }
  /** A word as i64. */
  wideWord(index: number): Code {
    return this.#c.get(this.#pc).memory("i64.load32_u", 4 * index);
  }
  /** The value in the slot whose address is the word. */
  slot(index: number, type: ValueType): Code {
    return this.word(index).memory(slotLoad[type]);
  }
  /** Stores the value on the stack to the slot whose address lies below it. */
  result(type: ValueType): void {
    if (type === "i32") this.#c.op("i64.extend_i32_u").memory("i64.store");
    else this.#c.memory(`${type}.store`);
  }

  /** Word 1 says where the result goes, the words after it where the operands are. */
  pure(params: readonly ValueType[], result: ValueType, apply: () => void): void {
    this.word(1);
    for (const [i, type] of params.entries()) this.slot(2 + i, type);
    apply();
    this.result(result);
  }
  /** Registers of four bytes have neighbours, so an i32 copy stores four bytes and loads zero-extended. */
  copy(type: ValueType): void {
    this.word(1);
    this.slot(2, type).memory(`${type}.store`);
  }
  select(type: ValueType): void {
    this.word(1);
    this.slot(3, type);
    this.slot(4, type);
    this.slot(2, "i32");
    this.#c.select(type);
    this.result(type);
  }
}
