/** The report of a run as one document: its types, its published schema, and what every reader of it needs. */
export { bareName } from "./bare-name.ts";
export type * from "./crash.ts";
export { type DiffLine, diffLines } from "./diff-lines.ts";
export { embeddedJson, reportPage } from "./embed.ts";
export { eventWord } from "./event-words.ts";
export type * from "./evidence.ts";
export { exploredShare, isAllExplored, lostLinesText } from "./explored-share.ts";
export type * from "./finding.ts";
export * from "./place-facts.ts";
export type * from "./places.ts";
export { default as reportSchema } from "./report.schema.json" with { type: "json" };
export type * from "./report.ts";
export { baseName, framesOf, type PlaceTables, shownFrame, withoutStartUp } from "./shown.ts";
