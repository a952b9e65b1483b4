/** x87 instructions and FXSAVE against the real processor. */
import { compareAll } from "./compare.ts";

compareAll(({ float, mnemonic }) => float && mnemonic.startsWith("f"));
