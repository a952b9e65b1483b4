/** EMMS. Every other MMX instruction shares its mnemonic with an SSE one and is lifted with it (sse/operands.ts). */
import type { Lift } from "../builder.ts";
import { beginMmx } from "./sse/operands.ts";

export const mmxSemantics = {
  emms: (b) => {
    beginMmx(b);
    b.call("mmx_leave");
  },
} satisfies Record<string, Lift>;
