export * from "./axiomatic/index.ts";
export * from "./model.ts";
export * from "./operational/index.ts";
export * from "./rules.ts";
export * from "./tracker/index.ts";
