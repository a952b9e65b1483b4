/** What launchers and the build take from the bundle: the command, the program of its workers, what can be done ahead. */
import { type Prepared, verifyOwnWork } from "../base/index.ts";

export { usePrepared } from "../base/index.ts";
export { importWith } from "../host/index.ts";
export { main } from "./main.ts";

/** In the command's own thread and in its workers. */
if (process.env["BLACKOUT_VERIFY"] === "on") verifyOwnWork();

/** Starts judging as soon as it is loaded, so only a worker loads it. */
export const loadWorker = () => import("./worker.ts");

/** Before anything has run. */
export async function prepare(): Promise<Prepared> {
  const [{ prepareMachine }, { buildRulesCore }] = await Promise.all([
    import("../subject/index.ts"),
    import("../engines/index.ts"),
  ]);
  return { ...prepareMachine(), rules: buildRulesCore() };
}
