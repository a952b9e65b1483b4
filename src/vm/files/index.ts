/** The guest's file tree and descriptors: an overlay in memory over a read-only host (docs: api.ts, types.ts). */
export type * from "./api.ts";
export * from "./errno.ts";
export * from "./flags.ts";
export * from "./types.ts";
