/** The program of worker threads, with every engine in it. */
import { workerData } from "node:worker_threads";
import { crashEngines } from "../../engines/index.ts";
import { realPorts } from "../../host/index.ts";
import { startWorker } from "../../session/work/index.ts";
import { loadEngines } from "./engine-files.ts";

const { engineFiles } = workerData as { readonly engineFiles: readonly string[] };

/** Once for each worker; a promise, since the user's own engines have to be loaded. */
const judge = loadEngines(engineFiles).then((own) => startWorker(workerData, [...crashEngines, ...own], realPorts()));

export const judgeUnit = async (job: Parameters<Awaited<typeof judge>>[0]) => (await judge)(job);
