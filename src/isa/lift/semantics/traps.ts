/** Instructions that raise an exception by themselves. The block ends at them. */
import type { Trap } from "../../ir/index.ts";
import type { Lift } from "../builder.ts";

export const trap =
  (kind: Trap, reason: string): Lift =>
  (b, { address }) => {
    b.exit = { kind: "trap", trap: kind, address, reason };
  };

/** #GP(0), with what the program attempted. */
export const protection = (attempt: string): Lift => trap("protection", `${attempt} is not allowed to a user program.`);
