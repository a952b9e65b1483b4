import type { StreamPort } from "../files/index.ts";
import type { Tracer } from "./tracer.ts";

/** What the guest writes is part of the trace: what a user saw before a crash. */
export const tracedStreams = (streams: StreamPort, tracer: Tracer): StreamPort => ({
  terminals: streams.terminals,
  readInput: (offset, length) => streams.readInput(offset, length),
  writeOutput: (stream, offset, bytes) => {
    tracer.output(stream, bytes);
    streams.writeOutput(stream, offset, bytes);
  },
});
