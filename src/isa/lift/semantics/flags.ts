/** Instructions about flags alone. SDM vol. 2: CLC STC CMC CLD STD LAHF SAHF. */
import { control, eflagsBit } from "../../ir/index.ts";
import type { Lift } from "../builder.ts";
import { ah } from "./operands.ts";

/** SF ZF AF PF CF: the flags that travel through AH, in their EFLAGS positions. */
const inAh = 0xd5;

const setDirection =
  (value: 0 | 1): Lift =>
  (b) =>
    b.put(control.direction, b.i32(value));

export const flagSemantics = {
  clc: (b) => b.setCarryAndOverflow(b.i32(0), b.flag("o")),
  stc: (b) => b.setCarryAndOverflow(b.i32(1), b.flag("o")),
  cmc: (b) => b.setCarryAndOverflow(b.op("i32.eqz", b.flag("c")), b.flag("o")),
  cld: setDirection(0),
  std: setDirection(1),
  lahf: (b) => b.write(ah, b.op("i32.or", b.flagBits(inAh), b.i32(2))),
  sahf: (b) => {
    const given = b.op("i32.and", b.read(ah), b.i32(inAh));
    b.setRawFlags(b.op("i32.or", given, b.flagBits(1 << eflagsBit.o)));
  },
} satisfies Record<string, Lift>;
