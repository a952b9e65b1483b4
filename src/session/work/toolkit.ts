/** What an engine of the user's own is given, so that it needs nothing of ours at run time but this. */
import { resolveDrafts } from "../../crash/finding/index.ts";
import { eventsBetween } from "../../trace/events/index.ts";
import { RangeQueue } from "./ranges.ts";

export const engineToolkit = { RangeQueue, eventsBetween, resolveDrafts } as const;
export type EngineToolkit = typeof engineToolkit;
