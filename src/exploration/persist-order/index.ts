/** The order in which stores persist: happens-before, what a cut of a line says of the crash, and pairs of stores out of order. */
export { Clocks, type ClockVector, clockIn, happensBefore, type StoreClock, threadsOf } from "./clocks.ts";
export { fixOfAll } from "./fixes.ts";
export { type HappensBefore, happensBeforeIn } from "./happens-before.ts";
export { type IsIgnored, ignoredStores } from "./ignored.ts";
export { KnownRecoveries } from "./known-recoveries.ts";
export { LineStores, type MadeStore } from "./line-stores.ts";
export { PairFacts } from "./pair-facts.ts";
export { type FoundPair, type KnownPair, OrderPairs, pairOf } from "./pairs.ts";
export { type ReadInOrder, ReadOrder } from "./read-order.ts";
export type { SeenEvent } from "./strict-twins.ts";
export type { OrderViolation } from "./violations.ts";
export { type StateInOrder, type WayInQuestion, WayOrder } from "./way-order.ts";
