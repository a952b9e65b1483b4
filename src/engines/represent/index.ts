/** Representatives (Squint): update behaviours, and the few of them whose crash states stand for all. */

export { type Behaviour, Behaviours, type IssuedStore, type Link, type Part } from "./behaviours.ts";
export { type Beside, type RepresentEngine, type RepresentOptions, representEngine } from "./engine.ts";
export { type GroupedUpdates, type GroupingOptions, groupUpdates } from "./grouped-updates.ts";
export { type Group, Kinds, type Variant } from "./groups.ts";
export { KnownUpdates } from "./known-updates.ts";
export { StoreOrder } from "./order.ts";
export { type Outline, outlineOf, represents } from "./outline.ts";
export { type PictureGroup, pictureOf } from "./picture.ts";
export { dotOf, svgOf } from "./picture-text.ts";
export { BehaviourRounds } from "./rounds.ts";
export { type Selection, selectTested } from "./selection.ts";
export type { RepresentStatistics } from "./statistics.ts";
export { type Precedence, precedenceBy, precedenceIn, type ThreadEvent } from "./threads.ts";
