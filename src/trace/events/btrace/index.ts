export type { ByteSource, ByteTarget, TraceInfo } from "./format.ts";
export { type ReadTrace, readBtrace } from "./read.ts";
export { BtraceWriter } from "./write.ts";
