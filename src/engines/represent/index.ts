/** Representatives (Squint): update behaviours, and the few of them whose crash states stand for all. */
export { type Behaviour, Behaviours, type Part } from "./behaviours.ts";
export { type Group, groupBehaviours } from "./groups.ts";
export { StoreOrder } from "./order.ts";
export { type Outline, outlineOf, represents } from "./outline.ts";
