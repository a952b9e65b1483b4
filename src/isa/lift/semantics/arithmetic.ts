/** Addition and subtraction: dst ← dst ± src (± CF); CF OF SF ZF AF PF from the result. SDM vol. 2: ADD … SUB. */
import type { FlagsKind } from "../../ir/index.ts";
import type { Lift } from "../builder.ts";
import { asWidth } from "./operands.ts";

const binary =
  (name: "add" | "sub", withCarry: boolean, flags: FlagsKind): Lift =>
  (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const carry = withCarry ? asWidth(b, width, b.flag("c")) : undefined;
    const left = b.read(dst!);
    const right = b.read(src!, width);
    const sum = b.int(width, name, left, right);
    const result = b.narrow(width, carry === undefined ? sum : b.int(width, name, sum, carry));
    b.write(dst!, result);
    b.setFlags(flags, width, left, right, result);
  };

/** INC and DEC keep CF. */
const step =
  (name: "add" | "sub", flags: "inc" | "dec"): Lift =>
  (b, { operands: [dst] }) => {
    const width = b.width(dst!);
    const left = b.read(dst!);
    const result = b.narrow(width, b.int(width, name, left, b.constant(width, 1)));
    const carry = asWidth(b, width, b.flag("c"));
    b.write(dst!, result);
    b.setFlags(flags, width, carry, carry, result);
  };

export const arithmeticSemantics = {
  add: binary("add", false, "add"),
  adc: binary("add", true, "adc"),
  sub: binary("sub", false, "sub"),
  sbb: binary("sub", true, "sbb"),
  cmp: (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const left = b.read(dst!);
    const right = b.read(src!, width);
    b.setFlags("sub", width, left, right, b.narrow(width, b.int(width, "sub", left, right)));
  },
  inc: step("add", "inc"),
  dec: step("sub", "dec"),
  neg: (b, { operands: [dst] }) => {
    const width = b.width(dst!);
    const right = b.read(dst!);
    const left = b.constant(width, 0);
    const result = b.narrow(width, b.int(width, "sub", left, right));
    b.write(dst!, result);
    b.setFlags("sub", width, left, right, result);
  },
} satisfies Record<string, Lift>;
