export { type LiftOptions, liftBlock, liftRun, maxBlockInstructions, maxBlockOps } from "./block.ts";
export { Builder, type Lift } from "./builder.ts";
export { isFlush, type PatchSites, type SitePatch } from "./patches.ts";
export { semanticsOf } from "./semantics/index.ts";
