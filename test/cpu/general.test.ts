/** General-purpose instructions against the real processor. */
import { compareAll } from "./compare.ts";

compareAll(({ float }) => !float);
