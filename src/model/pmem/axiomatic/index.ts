export * from "./graph.ts";
export * from "./named.ts";
export { programKinds, programOrderCell, programOrderUnder } from "./order.ts";
export * from "./persist.ts";
export * from "./relation.ts";
export * from "./visible.ts";
