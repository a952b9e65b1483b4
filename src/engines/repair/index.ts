/** Repair: findings to insertions, tried as virtual patches, and from there to patches of the source. */

export type { RepairCost } from "./cost.ts";
export { type AddedRange, fixesInSource, type InSource, type PlacedFix, patchesOf } from "./in-source.ts";
export { mayBeCured, type Refusal } from "./needs.ts";
export { OpenSources, type SourcePorts } from "./open-sources.ts";
export { curedBy } from "./reduce.ts";
export { type Needless, Removal, type RemovalPorts, type Removals } from "./remove.ts";
export { type Fix, Repair, type Repaired, type RepairPorts, withinBound } from "./repair.ts";
export { type PlacedInsert, type SourceChange, SourcePatch } from "./source-patch.ts";
export type { PlacedRun } from "./traced.ts";
export { type UnaddedStore, unaddedStores, withoutUnadded } from "./unadded.ts";
export {
  addedText,
  costText,
  durableText,
  fixText,
  keptText,
  leftText,
  refusalText,
  removedText,
  triedText,
  untriedText,
  withoutText,
} from "./words.ts";
