/** Jumps, calls and returns: what ends a block. SDM vol. 2: JMP, Jcc, CALL, RET, LOOP, JRCXZ, SYSCALL. */
import { type Condition, conditions, gprs, type Value } from "../../ir/index.ts";
import { formName, type Instruction, type Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { counter } from "./operands.ts";
import { push } from "./stack.ts";
import { protection } from "./traps.ts";

const rsp = gprs[4]!;

function branch(b: Builder, { operands: [target], next }: Instruction, when: Value): void {
  if (target?.kind !== "target") return;
  b.exit = { kind: "branch", when, target: target.address, otherwise: next };
}

const jcc =
  (condition: Condition): Lift =>
  (b, instruction) =>
    branch(b, instruction, b.condition(condition));

const jumpIfZero =
  (width: 32 | 64): Lift =>
  (b, instruction) =>
    branch(b, instruction, b.int(width, "eqz", b.read(counter(width))));

/** Counts RCX (ECX with an address-size prefix) down without touching flags; LOOPE and LOOPNE also look at ZF. */
const loop =
  (condition?: Condition): Lift =>
  (b, instruction) => {
    const width = formName(instruction).endsWith("ECX") ? 32 : 64;
    const left = b.int(width, "sub", b.read(counter(width)), b.constant(width, 1));
    b.write(counter(width), left);
    const more = b.int(width, "ne", left, b.constant(width, 0));
    branch(b, instruction, condition ? b.op("i32.and", more, b.condition(condition)) : more);
  };

/** A pointer with a segment selector. */
const isFar = (target: Operand | undefined) => target?.kind === "mem" && target.size !== 8;

export const controlSemantics = {
  jmp: (b, instruction) => {
    const [target] = instruction.operands;
    if (isFar(target)) return protection("a far jump")(b, instruction);
    if (target?.kind === "target") b.exit = { kind: "goto", target: target.address };
    else if (target) b.exit = { kind: "jump", target: b.read(target) };
  },
  call: (b, instruction) => {
    const {
      operands: [target],
      next,
    } = instruction;
    if (isFar(target)) return protection("a far call")(b, instruction);
    const known = target?.kind === "target" ? target.address : undefined;
    const value = known === undefined ? b.read(target!) : undefined;
    push(b, 64, b.i64(next));
    b.exit = { kind: "call", target: value, known, returnTo: next };
  },
  ret: (b, { operands: [extra] }) => {
    const top = b.get(rsp);
    const target = b.load("i64.load", top);
    b.put(rsp, b.op("i64.add", top, b.i64(8n + (extra?.kind === "imm" ? extra.value : 0n))));
    b.exit = { kind: "return", target };
  },
  syscall: (b, { next }) => {
    b.exit = { kind: "syscall", next };
  },
  loop: loop(),
  loope: loop("e"),
  loopne: loop("ne"),
  jrcxz: jumpIfZero(64),
  jecxz: jumpIfZero(32),
  ...Object.fromEntries(conditions.map((condition) => [`j${condition}`, jcc(condition)])),
} satisfies Record<string, Lift>;
