/** A worker thread's start: what the pool calls. */
import { loadBundle } from "./launch.ts";

export const { judgeUnit } = await loadBundle().loadWorker();
