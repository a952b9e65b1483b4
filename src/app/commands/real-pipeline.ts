/** What the commands give their pipelines: the real world, the workers beside the bundle, and progress on the terminal. */
import { fileURLToPath } from "node:url";
import { printText, workerProgram } from "../../host/index.ts";
import type { PipelinePorts } from "../pipeline/index.ts";
import { JsonLines } from "./early-news.ts";
import { alarmedPorts } from "./program-options.ts";
import { Progress } from "./progress.ts";
import type { ReportFlags } from "./report-options.ts";

export const realPipeline = ({ format }: Partial<Pick<ReportFlags, "format">> = {}): PipelinePorts => ({
  host: alarmedPorts,
  workers: workerProgram(fileURLToPath(new URL("./worker.mjs", import.meta.url))),
  progress: () => (format === "jsonl" ? new JsonLines(printText) : new Progress()),
});
