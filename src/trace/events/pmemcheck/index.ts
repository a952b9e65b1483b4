export { type PmemcheckTrace, parsePmemcheckLog } from "./parse.ts";
export { type LogOptions, PmemcheckLog } from "./print.ts";
