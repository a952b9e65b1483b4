/** Eager enumeration (Yat): recovery on every crash state, one by one. */

export { pointOf, stateAt } from "../../exploration/nested-crashes/index.ts";
export { EnumeratePlan, enumerateEngine, outcomeText } from "./engine.ts";
