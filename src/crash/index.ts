/** Crashes: where they are considered, what they leave, and how recovery takes it. */
export { digestLine, type LineDigest } from "./line-digest.ts";
export * from "./lines.ts";
export { type FilePlace, type Mapping, Mappings } from "./mappings.ts";
export * from "./points.ts";
export * from "./states.ts";
export { CrashWalk, type Moment, type WalkOptions } from "./walk.ts";
