/** What operations of the IR are on terms. */
export { laneFormulas, shuffled } from "./lane-formulas.ts";
export { macroFormulas } from "./macro-formulas.ts";
export { scalarFormulas } from "./scalar-formulas.ts";
