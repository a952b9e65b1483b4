export * from "./axiomatic/index.ts";
export * from "./model.ts";
export * from "./operational/index.ts";
export { type ReplayedStore, ReplayedTrace } from "./replayed.ts";
export * from "./rules.ts";
export * from "./tracker/index.ts";
