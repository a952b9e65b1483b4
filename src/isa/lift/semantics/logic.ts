/** Bitwise logic: CF and OF are cleared, SF ZF PF follow the result, AF is undefined. SDM vol. 2: AND OR XOR TEST NOT. */
import type { Lift } from "../builder.ts";

const binary =
  (name: "and" | "or" | "xor", writes: boolean): Lift =>
  (b, { operands: [dst, src] }) => {
    const width = b.width(dst!);
    const result = b.int(width, name, b.read(dst!), b.read(src!, width));
    if (writes) b.write(dst!, result);
    b.setFlags("logic", width, result, result, result);
  };

export const logicSemantics = {
  and: binary("and", true),
  or: binary("or", true),
  xor: binary("xor", true),
  test: binary("and", false),
  not: (b, { operands: [dst] }) => {
    const width = b.width(dst!);
    b.write(dst!, b.narrow(width, b.int(width, "xor", b.read(dst!), b.constant(width, -1n))));
  },
} satisfies Record<string, Lift>;
