/** Every x87 instruction, keyed by the decoder's code name. */
import { arithmeticOperations } from "./arithmetic.ts";
import { compareOperations } from "./compare.ts";
import { controlOperations } from "./control.ts";
import type { X87Operation } from "./operation.ts";
import { transcendentalOperations } from "./transcendental.ts";
import { transferOperations } from "./transfer.ts";

export const x87Operations: Readonly<Record<string, X87Operation>> = {
  ...transferOperations,
  ...arithmeticOperations,
  ...compareOperations,
  ...transcendentalOperations,
  ...controlOperations,
};
