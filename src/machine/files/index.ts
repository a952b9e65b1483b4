/** The guest's file tree and descriptors: an overlay in memory over a read-only host (docs: api.ts, types.ts). */
export type * from "./api.ts";
export {
  exportFiles,
  type FileEntry,
  type FileOfVersion,
  type FileVersion,
  importFiles,
  KnownEntries,
} from "./carry.ts";
export * from "./errno.ts";
export { createFiles } from "./files.ts";
export * from "./flags.ts";
export { isSamePool, type PoolFile, poolFileIn, poolPathIn } from "./pool-files.ts";
export { isSameTree } from "./same-tree.ts";
export { encodeStat, encodeStatFs, encodeStatx, splitTime } from "./stat.ts";
export { byteString, bytesOf, pathFromText, textFromPath } from "./text.ts";
export * from "./types.ts";
export { dataIn, type FileContents, pagesIn, withPages } from "./values.ts";
