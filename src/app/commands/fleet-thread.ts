/** The program of a fleet worker's threads, with every engine in it. */
import { parentPort, workerData } from "node:worker_threads";
import { crashEngines } from "../../engines/index.ts";
import { type JudgeThreadData, startJudgeThread, type UnitJob } from "../../fleet/index.ts";
import { realPorts, type ThreadAnswer } from "../../host/index.ts";

const judge = startJudgeThread(workerData as JudgeThreadData, crashEngines, realPorts());

function answer(job: UnitJob): ThreadAnswer {
  try {
    return { text: judge(job) };
  } catch (error) {
    return { failure: error instanceof Error ? error.message : String(error) };
  }
}

parentPort?.on("message", (job: UnitJob) => parentPort?.postMessage(answer(job)));
