export * from "./evaluate.ts";
export * from "./noted.ts";
export * from "./operators.ts";
export * from "./order/index.ts";
export * from "./smt-lib.ts";
export * from "./solver.ts";
export * from "./terms.ts";
export * from "./theory.ts";
export { startZ3 } from "./z3/solver.ts";
