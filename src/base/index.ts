export * from "./assert.ts";
export * from "./ids.ts";
export * from "./random.ts";
