export * from "./crash.ts";
export { bufferKinds, bufferOrderCell } from "./order.ts";
export * from "./state.ts";
export * from "./transitions.ts";
