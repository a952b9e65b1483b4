export * from "./assert.ts";
export * from "./hash.ts";
export * from "./host-files.ts";
export * from "./ids.ts";
export * from "./prepared.ts";
export * from "./random.ts";
