/** One run of the program with every event kept, and the files at each of them. */
import { assert, type HostPorts, type ScratchPort } from "../../base/index.ts";
import { type CapturedOutput, FileHistory } from "../../crash/states/index.ts";
import type {
  FileVersion,
  Machine,
  MachineOptions,
  Outcome,
  ScheduleChoice,
  ThreadOrder,
} from "../../machine/index.ts";
import { EventStore, hasStores, newTables, Recorder, type SinkFactory } from "../../trace/events/index.ts";
import { type FileUse, FileUseWatch } from "./file-use.ts";
import type { SubjectOptions } from "./options.ts";
import { runMachine } from "./run-machine.ts";

/** Of a trace's events; what is more lies in a scratch file. */
const keptBytes = 512 << 20;

export interface TracedRun {
  readonly trace: EventStore;
  /** Where the trace's oldest events are, when they are many. */
  readonly scratch: ScratchPort | undefined;
  readonly history: FileHistory;
  readonly outcome: Outcome | undefined;
  /** The files after the program stopped, with every store in them. */
  readonly finalFiles: FileVersion;
  readonly stdout: string;
  readonly fileUse: FileUse;
  /** Whether the program made Valgrind client requests, answered or not. */
  readonly madeRequests: boolean;
  /** What was decided about threads, where it ran by a schedule. */
  readonly schedule: readonly ScheduleChoice[];
  /** The first of the decisions given that it could not follow, by its number. */
  readonly misfit: number | undefined;
  /** What threads read of each other, where that was asked for. */
  readonly threadOrder: ThreadOrder | undefined;
}

/** A machine with the program loaded, which records, calls the hooks and is watched. */
export type LoadTraced = (
  trace: NonNullable<MachineOptions["trace"]>,
  hooks: NonNullable<MachineOptions["hooks"]>,
  watch: FileUseWatch,
) => Machine;

/** A store for the events of one run, which spills into a scratch file. */
function eventStore(ports: HostPorts) {
  let store: EventStore | undefined;
  let scratch: ScratchPort | undefined;
  const openSpill = () => {
    scratch = ports.openScratch();
    return scratch;
  };
  const keep: SinkFactory = (tables) => {
    store = new EventStore(tables, { memoryBytes: keptBytes, openSpill, shared: true });
    return store;
  };
  const kept = () => {
    assert(store !== undefined, "a recorder makes all its sinks");
    return { trace: store, scratch };
  };
  return { keep, kept };
}

export function runTraced(
  load: LoadTraced,
  output: CapturedOutput,
  sinks: readonly SinkFactory[],
  { ports, annotated, pmMode }: Pick<SubjectOptions, "annotated" | "pmMode"> & { readonly ports: HostPorts },
): TracedRun {
  const history = new FileHistory();
  const { keep, kept } = eventStore(ports);
  const recorder = new Recorder([...sinks, keep], newTables(pmMode === "dax"));
  let machine: Machine | undefined;
  const position = () => {
    machine?.drainTrace();
    return recorder.count;
  };
  const watch = new FileUseWatch();
  machine = load(
    { recorder, annotations: annotated },
    { notice: ports.notice, returned: (_tid, name) => history.returned(name, position) },
    watch,
  );
  watch.begin(machine);
  history.begin(machine);
  const outcome = runMachine(machine);
  machine.endTrace();
  machine.writeBack();
  history.end();
  const finalFiles = machine.exportFiles();
  const fileUse = watch.use(machine);
  const { madeRequests, scheduled, threadOrder } = machine;
  const { choices: schedule, misfit } = scheduled;
  const stdout = output.text(1);
  return { ...kept(), history, outcome, finalFiles, stdout, fileUse, madeRequests, schedule, misfit, threadOrder };
}

/** Whether it stored anything to persistent memory. */
export const hasStored = ({ trace }: TracedRun): boolean => [...trace.batches()].some(hasStores);
