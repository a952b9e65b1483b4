/** SSE and MMX instructions against the real processor. */
import { compareAll } from "./compare.ts";

compareAll(({ float, mnemonic, encoding }) => float && encoding === "legacy" && !mnemonic.startsWith("f"));
