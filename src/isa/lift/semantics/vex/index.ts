/** AVX and AVX2. */
import type { Lift } from "../../builder.ts";
import { integerSemantics } from "./integer.ts";
import { moveSemantics } from "./moves.ts";

export const vexSemantics: Readonly<Record<string, Lift>> = {
  ...integerSemantics,
  ...moveSemantics,
};
