/** What the launchers take from the bundle: the command, and the program of its workers. */
export { importWith } from "../host/index.ts";
export { main } from "./main.ts";

/** Starts judging as soon as it is loaded, so only a worker loads it. */
export const loadWorker = () => import("./check-worker.ts");
