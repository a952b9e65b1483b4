/** A thread's start in a fleet's worker. */
import { loadBundle } from "./launch.ts";

await loadBundle().loadFleetThread();
