/** What launchers and the build take from the bundle: the command, the program of its workers, what can be done ahead. */
import type { Prepared } from "../base/index.ts";

export { usePrepared } from "../base/index.ts";
export { importWith } from "../host/index.ts";
export { main } from "./main.ts";

/** Starts judging as soon as it is loaded, so only a worker loads it. */
export const loadWorker = () => import("./check-worker.ts");

/** Before anything has run. */
export async function prepare(): Promise<Prepared> {
  const [{ decoderImage }, { buildRuntime }, { buildRulesCore }] = await Promise.all([
    import("../x86/index.ts"),
    import("../runtime/index.ts"),
    import("../engines/index.ts"),
  ]);
  return { decoder: decoderImage(), runtime: buildRuntime(), rules: buildRulesCore() };
}
