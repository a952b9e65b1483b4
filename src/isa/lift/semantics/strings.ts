/**
 * String instructions. One step is ordinary IR; with a repeat prefix the machine works through the whole string at once
 * (machine/complex). DF gives the direction. SDM vol. 2: MOVS, CMPS, STOS, LODS, SCAS, REP.
 */
import { control, gprs, type Width } from "../../ir/index.ts";
import type { Instruction, Memory, Operand } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";
import { accumulator } from "./operands.ts";

/** Moves an index register one element on: a 32-bit one wraps and clears its upper half. */
function advance(b: Builder, operand: Operand, width: Width): void {
  const { base, addressSize } = operand as Memory;
  const bytes = width / 8;
  const step = b.select(b.get(control.direction), b.i64(-bytes), b.i64(bytes));
  const moved = b.op("i64.add", b.get(gprs[base!]!), step);
  b.put(gprs[base!]!, addressSize === 4 ? b.op("i64.and", moved, b.i64(0xffff_ffff)) : moved);
}

const orRepeated =
  (name: string, width: Width, once: (b: Builder, operands: readonly Operand[], width: Width) => void): Lift =>
  (b, instruction: Instruction) => {
    if (instruction.repeat === "none") return once(b, instruction.operands, width);
    b.exit = { kind: "complex", name, address: instruction.address, next: instruction.next };
  };

const families = {
  movs: (b: Builder, [dst, src]: readonly Operand[], width: Width) => {
    b.storeInt(width, b.address(dst as Memory), b.loadInt(width, b.address(src as Memory)));
    advance(b, src!, width);
    advance(b, dst!, width);
  },
  /** DS:[RSI] minus ES:[RDI]; if both fault, processors report the latter. */
  cmps: (b: Builder, [src, dst]: readonly Operand[], width: Width) => {
    const right = b.loadInt(width, b.address(dst as Memory));
    const left = b.loadInt(width, b.address(src as Memory));
    advance(b, src!, width);
    advance(b, dst!, width);
    b.setFlags("sub", width, left, right, b.narrow(width, b.int(width, "sub", left, right)));
  },
  stos: (b: Builder, [dst]: readonly Operand[], width: Width) => {
    b.storeInt(width, b.address(dst as Memory), b.read(accumulator(width)));
    advance(b, dst!, width);
  },
  lods: (b: Builder, [, src]: readonly Operand[], width: Width) => {
    const value = b.loadInt(width, b.address(src as Memory));
    b.write(accumulator(width), value);
    advance(b, src!, width);
  },
  scas: (b: Builder, [, dst]: readonly Operand[], width: Width) => {
    const left = b.read(accumulator(width));
    const right = b.loadInt(width, b.address(dst as Memory));
    advance(b, dst!, width);
    b.setFlags("sub", width, left, right, b.narrow(width, b.int(width, "sub", left, right)));
  },
};

const suffixes = { b: 8, w: 16, d: 32, q: 64 } as const;

/** `movsb` … `scasq`. MOVSD and CMPSD share their names with SSE2 instructions (semantics/index.ts tells them apart). */
export const stringSemantics: Readonly<Record<string, Lift>> = Object.fromEntries(
  Object.entries(families).flatMap(([family, once]) =>
    Object.entries(suffixes).map(([suffix, width]) => [family + suffix, orRepeated(family + suffix, width, once)]),
  ),
);
