export { type OrderOptions, OrderTheory } from "./order-theory.ts";
export { allowsOrder } from "./plain.ts";
export * from "./problem.ts";
