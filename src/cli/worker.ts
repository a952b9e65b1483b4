/** The program of worker threads, with every engine in it. */
import { workerData } from "node:worker_threads";
import { crashEngines } from "../engines/index.ts";
import { realPorts } from "../host/index.ts";
import { startWorker } from "../work/index.ts";

export const judgeUnit = startWorker(workerData, crashEngines, realPorts());
