/** SSE to SSE4.2, and the MMX forms that share their mnemonics. */
import type { Lift } from "../../builder.ts";
import { arithmeticSemantics } from "./arithmetic.ts";
import { convertSemantics } from "./convert.ts";
import { elementSemantics } from "./elements.ts";
import { floatSemantics } from "./float.ts";
import { floatCompareSemantics } from "./float-compare.ts";
import { horizontalSemantics } from "./horizontal.ts";
import { logicSemantics } from "./logic.ts";
import { moveSemantics } from "./moves.ts";
import { shiftSemantics } from "./shifts.ts";
import { shuffleSemantics } from "./shuffles.ts";
import { stringSemantics } from "./strings.ts";
import { widthSemantics } from "./widths.ts";

export const sseSemantics: Readonly<Record<string, Lift>> = {
  ...moveSemantics,
  ...logicSemantics,
  ...arithmeticSemantics,
  ...shiftSemantics,
  ...shuffleSemantics,
  ...elementSemantics,
  ...widthSemantics,
  ...horizontalSemantics,
  ...floatSemantics,
  ...floatCompareSemantics,
  ...convertSemantics,
  ...stringSemantics,
};
