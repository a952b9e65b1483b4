/** What launchers and the build take from the bundle: the command, the program of its workers, what can be done ahead. */
import { createMemory, type Prepared, useNativeCode, verifyOwnWork } from "../../base/index.ts";
import { optimisedCode, v8NativeCode } from "../../host/index.ts";

export { usePrepared } from "../../base/index.ts";
export { importWith } from "../../host/index.ts";
export { main } from "./main.ts";

/** In the command's own thread and in its workers. */
const verified = process.env["BLACKOUT_VERIFY"];
if (verified === "on" || verified === "results") verifyOwnWork(verified === "on" ? "everything" : "results");
useNativeCode(v8NativeCode());

/** Starts judging as soon as it is loaded, so only a worker loads it. */
export const loadWorker = () => import("./worker.ts");

/** The same for the threads of a fleet's worker. */
export const loadFleetThread = () => import("./fleet-thread.ts");

/** What WebAssembly can address: as much as both modules may ask for. */
const mostPages = 65_536;

/** Before anything has run. */
export async function prepare(): Promise<Prepared> {
  const [{ prepareMachine }, { buildRulesCore }] = await Promise.all([
    import("../../machine/index.ts"),
    import("../../engines/index.ts"),
  ]);
  const machine = prepareMachine();
  const rules = buildRulesCore();
  const memory = createMemory(mostPages);
  return {
    ...machine,
    rules,
    runtimeCode: optimisedCode(machine.runtime, memory),
    rulesCode: optimisedCode(rules, memory),
  };
}
