export * from "./cuts.ts";
export * from "./lines.ts";
export * from "./places.ts";
export * from "./tracker.ts";
