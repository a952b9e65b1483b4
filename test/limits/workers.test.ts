/** A worker whose command ends before it has begun judges nothing, and that is no error of ours. */
import { expect, it } from "vitest";
import { realPorts } from "../../src/host/index.ts";
import { type CrashEngine, startWorker } from "../../src/session/work/index.ts";
import { EventStore, newTables, shareTrace } from "../../src/trace/events/index.ts";

const engine = {
  name: "any",
  start: (_setup: unknown, { subject }: { readonly subject: { recovery(): unknown } }) => {
    subject.recovery();
    throw new Error("recovery began");
  },
} as unknown as CrashEngine;

const openSpill = () => {
  throw new Error("nothing is spilled");
};
const setup = (stop: number) => ({
  engine: "any",
  engineFiles: [],
  setup: undefined,
  subject: {
    ...{ directory: "/", env: [], seed: 0, cpu: "v3", limits: {}, jit: false, pm: [], pmMode: "dax", annotated: false },
    program: ["/bin/true"],
  },
  input: new Uint8Array(),
  judging: { expectExit: 0, oracle: "exit", platform: "px86", hangLimit: 1000 },
  trace: shareTrace(new EventStore(newTables(true), { memoryBytes: 1 << 20, openSpill })),
  scratch: undefined,
  versionStarts: [],
  stop: Int32Array.of(stop),
});

it("is told to stop", () => {
  const judge = startWorker(setup(1), [engine], realPorts());
  expect(judge({ unit: 1, hint: undefined, versions: { versions: [], chunks: [] } })).toBeUndefined();
});

it("does begin where it is not", () => {
  expect(() => startWorker(setup(0), [engine], realPorts())).toThrow(/recovery began/);
});
