/** Eager enumeration (Yat): recovery on every crash state, one by one. */

export { EnumeratePlan, enumerateEngine, outcomeText } from "./engine.ts";
