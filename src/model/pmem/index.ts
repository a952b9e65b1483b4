export * from "./axiomatic/index.ts";
export { type MappedFile, type Mapping, Mappings } from "./mappings.ts";
export * from "./model.ts";
export * from "./operational/index.ts";
export { type ReplayedStore, ReplayedTrace } from "./replayed.ts";
export * from "./rules.ts";
export * from "./tracker/index.ts";
