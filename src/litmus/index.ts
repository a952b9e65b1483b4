export * from "./compare.ts";
export * from "./condition.ts";
export * from "./generate.ts";
export * from "./limits.ts";
export * from "./parse.ts";
export * from "./program.ts";
export * from "./run.ts";
export type { Source } from "./source.ts";
