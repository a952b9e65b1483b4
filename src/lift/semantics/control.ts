/** Jumps, calls and returns: what ends a block. SDM vol. 2: JMP, Jcc, CALL, RET, LEAVE, LOOP, JRCXZ, SYSCALL. */
import { type Condition, conditions, gprs } from "../../ir/index.ts";
import type { Builder, Lift } from "../builder.ts";

const rsp = gprs[4]!;

const jcc =
  (condition: Condition): Lift =>
  (b, { operands: [target], next }) => {
    if (target?.kind !== "target") return;
    b.exit = { kind: "branch", when: b.condition(condition), target: target.address, otherwise: next };
  };

const push64 = (b: Builder, value: ReturnType<Builder["i64"]>) => {
  const top = b.op("i64.sub", b.get(rsp), b.i64(8));
  b.store("i64.store", top, value);
  b.put(rsp, top);
};

export const controlSemantics = {
  jmp: (b, { operands: [target] }) => {
    if (target?.kind === "target") b.exit = { kind: "goto", target: target.address };
    else if (target) b.exit = { kind: "jump", target: b.read(target) };
  },
  call: (b, { operands: [target], next }) => {
    const known = target?.kind === "target" ? target.address : undefined;
    const value = known === undefined ? b.read(target!) : undefined;
    push64(b, b.i64(next));
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
  ...Object.fromEntries(conditions.map((condition) => [`j${condition}`, jcc(condition)])),
} satisfies Record<string, Lift>;
