/**
 * The stack. Memory operands that use RSP see it before a PUSH and after a POP; RSP changes only when nothing can fault any
 * more. SDM vol. 2: PUSH, POP, PUSHF, POPF, LEAVE. ENTER is machine-made (system.ts).
 */
import { control, eflagsBit, gprs, type Value, type Width } from "../../ir/index.ts";
import { formName, type Instruction, type Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { segmentSelectors } from "./operands.ts";
import { protection } from "./traps.ts";

const rsp = gprs[4]!;
const rbp = gprs[5]!;

/** EFLAGS as a user program sees it: bit 1 and IF are always set. */
const fixedBits = 0x202;
/** What POPF may change beside the arithmetic flags and DF: NT, AC and ID. TF is ignored: nothing single-steps here. */
const restBits = 0x24_4000;

export function push(b: Builder, width: Width, value: Value): void {
  const top = b.op("i64.sub", b.get(rsp), b.i64(width / 8));
  b.storeInt(width, top, value);
  b.put(rsp, top);
}

const afterPop = (b: Builder, width: Width): Value => b.op("i64.add", b.get(rsp), b.i64(width / 8));

/** Forms whose operands do not show their size name it: `Pushw_FS`, `Leavew`. */
const formWidth = (instruction: Instruction): Width => (/^(Push|Pop|Leave)w/.test(formName(instruction)) ? 16 : 64);

const pushOperand: Lift = (b, instruction) => {
  const [operand] = instruction.operands;
  if (operand!.kind === "segment") {
    const width = formWidth(instruction);
    return push(b, width, b.constant(width, segmentSelectors[operand!.name] ?? 0));
  }
  const width = (operand!.kind === "imm" ? operand!.size * 8 : b.width(operand!)) as Width;
  push(b, width, b.read(operand!, width));
};

const popOperand: Lift = (b, instruction) => {
  const operand = instruction.operands[0] as Operand;
  if (operand.kind === "segment") return protection("loading a segment register")(b, instruction);
  const width = b.width(operand);
  const value = b.loadInt(width, b.get(rsp));
  const top = afterPop(b, width);
  if (operand.kind === "mem") {
    const usesStackPointer = operand.base === 4;
    b.storeInt(width, b.address(operand, usesStackPointer ? b.i64(width / 8) : undefined), value);
    b.put(rsp, top);
  } else {
    b.put(rsp, top);
    b.write(operand, value);
  }
};

const pushFlags =
  (width: Width): Lift =>
  (b) => {
    const direction = b.op("i32.shl", b.get(control.direction), b.i32(eflagsBit.d));
    const rest = b.op("i32.or", b.op("i32.or", b.get(control.eflagsRest), direction), b.i32(fixedBits));
    push(b, width, b.extend(b.op("i32.or", b.flagBits(0x8d5), rest), 32, width, false));
  };

const popFlags =
  (width: Width): Lift =>
  (b) => {
    const value = b.extend(b.loadInt(width, b.get(rsp)), width, 32, false);
    b.put(rsp, afterPop(b, width));
    const changed = width === 16 ? restBits & 0xffff : restBits;
    const kept = b.op("i32.and", b.get(control.eflagsRest), b.i32(~changed));
    b.put(control.eflagsRest, b.op("i32.or", kept, b.op("i32.and", value, b.i32(changed))));
    b.put(control.direction, b.op("i32.and", b.op("i32.shr_u", value, b.i32(eflagsBit.d)), b.i32(1)));
    b.setRawFlags(b.op("i32.and", value, b.i32(0x8d5)));
  };

export const stackSemantics = {
  push: pushOperand,
  pop: popOperand,
  pushf: pushFlags(16),
  pushfq: pushFlags(64),
  popf: popFlags(16),
  popfq: popFlags(64),
  leave: (b, instruction) => {
    const width = formWidth(instruction);
    const frame = b.get(rbp);
    const value = b.loadInt(width, frame);
    b.write({ kind: "gpr", index: 5, size: (width / 8) as 2 | 8, high: false }, value);
    b.put(rsp, b.op("i64.add", frame, b.i64(width / 8)));
  },
} satisfies Record<string, Lift>;
