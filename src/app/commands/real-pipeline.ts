/** What the commands give their pipelines: the real world, the workers beside the bundle, and progress on the terminal. */
import { fileURLToPath } from "node:url";
import { workerProgram } from "../../host/index.ts";
import type { PipelinePorts } from "../pipeline/index.ts";
import { alarmedPorts } from "./program-options.ts";
import { Progress } from "./progress.ts";

export const realPipeline = (): PipelinePorts => ({
  host: alarmedPorts,
  workers: workerProgram(fileURLToPath(new URL("./worker.mjs", import.meta.url))),
  progress: () => new Progress(),
});
