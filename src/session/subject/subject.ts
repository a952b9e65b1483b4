/** What is checked: a program's set-up, its traced runs, and its recoveries. Nothing of them reaches the host's disk. */
import { globPattern, type HostPorts, InputError, type InputPort, NotedFiles, resolvePath } from "../../base/index.ts";
import { isSystemLibrary } from "../../crash/finding/index.ts";
import {
  CapturedOutput,
  type FollowUp,
  FollowUps,
  type Layout,
  type RecoveryEnd,
  RecoveryMachine,
} from "../../crash/states/index.ts";
import {
  type FileVersion,
  type Machine,
  type MachineOptions,
  type Outcome,
  pathFromText,
  RanCode,
  type StreamPort,
  textFromPath,
} from "../../machine/index.ts";
import { Recorder, type SinkFactory, type TraceTables } from "../../trace/events/index.ts";
import { FileUseWatch } from "./file-use.ts";
import type { SubjectOptions } from "./options.ts";
import { type Places, placesOf } from "./places.ts";
import { placeHeap } from "./pm-heap.ts";
import { loadInto, loadProgram, machineFor } from "./program.ts";
import { runMachine } from "./run-machine.ts";
import { type LoadTraced, runTraced, type TracedRun } from "./traced-run.ts";

/** Where a recovery finds what the program had printed: named to it in BLACKOUT_ACKED. */
const acknowledgedPath = "/tmp/.blackout-acked";

function machineOptions({ pm, pmMode, notesCode = false }: SubjectOptions, ran: RanCode): Partial<MachineOptions> {
  const globs = pm.map(globPattern);
  return {
    directAccess: pmMode === "dax",
    ...(notesCode && { ranCode: ran }),
    ...(globs.length > 0 && { isPersistent: (path) => globs.some((glob) => glob.test(textFromPath(path))) }),
  };
}

/** A machine with the recovery program loaded, and what runs recoveries in it. */
interface LoadedRecovery {
  readonly recovery: RecoveryMachine;
  readonly machine: Machine;
}

/** A schedule that the user gave is of this very program. */
function demandFit(misfit: number | undefined): void {
  if (misfit === undefined) return;
  const what = `The program cannot follow choice ${misfit} of its schedule`;
  throw new InputError("schedule/misfit", `${what}: take one that was printed for this program and these options.`, {
    misfit,
  });
}

type TraceOptions = NonNullable<MachineOptions["trace"]>;

/** A command with a character for each byte. */
export interface GivenCommand {
  readonly words: readonly string[];
  /** NAME=VALUE, in place of variables of these names. */
  readonly environment: readonly string[];
  /** Bytes in place of those that files have when the program starts. */
  readonly files?: readonly { readonly path: string; readonly offset: number; readonly bytes: Uint8Array }[];
}

export class Subject {
  readonly options: SubjectOptions;
  readonly ports: HostPorts;
  /** Recoveries read what the program and the undisturbed recovery read, from its beginning. */
  readonly input: InputPort;
  /** Code that its machines ran, where they note it: of the set-up, the program and every recovery. */
  readonly ran = new RanCode((path) => !isSystemLibrary(path));
  readonly #machine: Partial<MachineOptions>;
  readonly #noted: NotedFiles;
  #files: FileVersion | undefined;
  #spare: LoadedRecovery | undefined;
  #changes: NonNullable<GivenCommand["files"]> = [];

  constructor(options: SubjectOptions, ports: HostPorts, input = ports.standardInput()) {
    this.options = options;
    this.#noted = new NotedFiles(ports.files);
    this.ports = { ...ports, files: this.#noted };
    this.input = input;
    this.#machine = machineOptions(options, this.ran);
  }

  get recoverCommand(): readonly string[] {
    return this.options.recover ?? this.options.program;
  }

  /** Where its recoveries find what the program had printed. */
  get acknowledgedPath(): string {
    return pathFromText(acknowledgedPath);
  }

  /** The host's files that its machines have read so far: programs, libraries and whatever else, in order of their names. */
  get filesRead(): readonly string[] {
    return [...this.#noted.noted].map(textFromPath).sort((a, b) => (a < b ? -1 : 1));
  }

  /** All that runs after a crash, in this order. */
  get recoveryCommands(): readonly (readonly string[])[] {
    const { furtherRecoveries = [], thenCommand } = this.options;
    return [this.recoverCommand, ...furtherRecoveries, ...(thenCommand === undefined ? [] : [thenCommand])];
  }

  /** Of one of this subject's traces. */
  places(tables: TraceTables): Places {
    const { root, directory } = this.options;
    return placesOf(tables, this.ports, root === undefined ? "/" : resolvePath(directory, root));
  }

  /** Options of a machine whose output is captured. */
  #captured(output: CapturedOutput): Partial<MachineOptions> {
    const readInput = (offset: number, length: number) => this.input.readInput(offset, length);
    return { ...this.#machine, streams: { terminals: [false, false, false], readInput, writeOutput: output.write } };
  }

  #load(
    command: readonly string[],
    output: CapturedOutput,
    more: Partial<MachineOptions>,
    env = this.options.env,
  ): Machine {
    const options = { ...this.options, env, grants: [] };
    return loadProgram(options, command, this.ports, { ...this.#captured(output), ...more });
  }

  /** The files that are there when the program starts. */
  #setup(): FileVersion {
    const { setup } = this.options;
    this.#files ??= setup === undefined ? new Map() : this.#runSetup(setup);
    return this.#files;
  }

  #runSetup(setup: readonly string[]): FileVersion {
    const output = new CapturedOutput();
    const machine = this.#load(setup, output, {});
    const result = machine.run();
    if (result.kind !== "ended" || result.outcome.kind !== "exit" || result.outcome.code !== 0)
      throw new InputError("check/setup", `The set-up command did not exit with 0: ${output.text(2).trim()}`, {
        setup,
      });
    machine.writeBack();
    return machine.exportFiles();
  }

  /** The set-up once more, for who wants to see what it stores; nothing of it is kept. */
  watchSetup(sinks: readonly SinkFactory[]): void {
    const { setup } = this.options;
    if (setup === undefined) return;
    const recorder = new Recorder(sinks);
    const machine = this.#load(setup, new CapturedOutput(), { trace: { recorder, annotations: false } });
    machine.run();
    machine.endTrace();
  }

  /** The same with every event kept; undefined where there is no set-up. */
  traceSetup(): TracedRun | undefined {
    const { setup, pmMode } = this.options;
    if (setup === undefined) return undefined;
    const output = new CapturedOutput();
    const load: LoadTraced = (trace, hooks) => this.#load(setup, output, { trace, hooks });
    return runTraced(load, output, [], { ports: this.#quietPorts, annotated: false, pmMode });
  }

  /** For what runs again: what there is to notice was noticed the first time. */
  get #quietPorts(): HostPorts {
    return { ...this.ports, notice: () => {} };
  }

  /** What the set-up left, and what the program needs of ours. */
  #bring(machine: Machine): void {
    machine.importFiles(this.#setup());
    for (const { path, offset, bytes } of this.#changes) {
      const contents = machine.readFile(path)!;
      contents.set(bytes, offset);
      machine.writeFile(path, contents);
    }
    placeHeap(this.options.pmHeap, machine, this.options.program[0]!, this.ports);
  }

  #loadTraced(
    trace: NonNullable<MachineOptions["trace"]>,
    output: CapturedOutput,
    hooks: NonNullable<MachineOptions["hooks"]>,
    watch = new FileUseWatch(),
    schedule = this.options.schedule,
  ): Machine {
    const { patches, meetings, removed } = this.options;
    const traced = removed === undefined ? trace : { ...trace, removed };
    const more = { trace: traced, hooks, schedule, ...(patches && { patches }), ...(meetings && { meetings }) };
    const machine = this.#load(this.options.program, output, watch.watching({ ...this.#machine, ...more }));
    this.#bring(machine);
    return machine;
  }

  /** The program in front of the user: its streams are the host's; events go to the sinks and are not kept. */
  show(sinks: readonly SinkFactory[], ended: (outcome: Outcome | undefined) => void) {
    const recorder = new Recorder(sinks);
    const { annotated, program, schedule } = this.options;
    const trace = { recorder, annotations: annotated };
    const watch = new FileUseWatch();
    const options = watch.watching({ ...this.#machine, trace, schedule, hooks: { notice: this.ports.notice } });
    const machine = loadProgram(this.options, program, this.ports, options);
    this.#bring(machine);
    watch.begin(machine);
    const outcome = runMachine(machine);
    ended(outcome);
    machine.endTrace();
    const { madeRequests, scheduled } = machine;
    demandFit(scheduled.misfit);
    const fileUse = watch.use(machine);
    return { outcome, events: recorder.count, fileUse, madeRequests, schedule: scheduled.choices };
  }

  /** A run that only the sinks see: nothing of it is kept or shown. */
  watch(
    sinks: readonly SinkFactory[],
    annotations: boolean,
    unknownBytes?: TraceOptions["unknownBytes"],
  ): Outcome | undefined {
    const trace = { recorder: new Recorder(sinks), annotations, unknownBytes };
    const machine = this.#loadTraced(trace, new CapturedOutput(), {});
    const outcome = runMachine(machine);
    machine.endTrace();
    return outcome;
  }

  /** The same with other words and variables, a character for each byte, and other input; the set-up has run already. */
  given({ words, environment, files = [] }: GivenCommand, input: InputPort): Subject {
    const isGiven = (entry: string) =>
      environment.some((own) => own.startsWith(entry.slice(0, entry.indexOf("=") + 1)));
    const env = [...this.options.env.filter((entry) => !isGiven(entry)).map(pathFromText), ...environment];
    const other = new Subject({ ...this.options, program: words, env, byteWords: true }, this.ports, input);
    other.#files = this.#setup();
    other.#changes = files;
    return other;
  }

  /** A machine that stands before the program's first instruction, for who goes through it step by step. */
  stepped(
    sinks: readonly SinkFactory[],
    { readInput, unknownBytes }: Pick<StreamPort, "readInput"> & Pick<TraceOptions, "unknownBytes">,
    hooks: NonNullable<MachineOptions["hooks"]>,
  ): Machine {
    const trace = { recorder: new Recorder(sinks), annotations: this.options.annotated, unknownBytes };
    const output = new CapturedOutput();
    const machine = this.#load(this.options.program, output, {
      trace,
      hooks,
      streams: { terminals: [false, false, false], readInput, writeOutput: output.write },
    });
    this.#bring(machine);
    return machine;
  }

  /** One run, by the options' schedule or by this one. */
  trace(sinks: readonly SinkFactory[], schedule = this.options.schedule): TracedRun {
    const run = this.#trace(sinks, schedule, { annotated: this.options.annotated, ports: this.ports });
    if (schedule === this.options.schedule) demandFit(run.misfit);
    return run;
  }

  /** The program once more, answered as by Valgrind. */
  traceAnnotated(sinks: readonly SinkFactory[]): TracedRun {
    return this.#trace(sinks, this.options.schedule, { annotated: true, ports: this.#quietPorts });
  }

  #trace(
    sinks: readonly SinkFactory[],
    schedule: SubjectOptions["schedule"],
    { annotated, ports }: { readonly annotated: boolean; readonly ports: HostPorts },
  ): TracedRun {
    const output = new CapturedOutput();
    const load: LoadTraced = (trace, hooks, watch) => this.#loadTraced(trace, output, hooks, watch, schedule);
    return runTraced(load, output, sinks, { ports, annotated, pmMode: this.options.pmMode });
  }

  /** For one recovery; the machine is the next one's who asks. A machine's memory costs V8 a collection of garbage. */
  recoverOnce(layout: Layout, maxInstructions: number, expectExit: number): RecoveryEnd {
    const ready = this.recovery();
    const ended = ready.recovery.run(layout, maxInstructions, expectExit);
    ready.recovery.forget();
    this.#spare = ready;
    return ended;
  }

  /** A machine that stands ready to recover; `more` may ask it to trace. */
  recovery(more?: Partial<MachineOptions>): LoadedRecovery {
    const spare = more === undefined ? this.#spare : undefined;
    this.#spare = undefined;
    return spare ?? this.#newRecovery(more);
  }

  #newRecovery(more: Partial<MachineOptions> = {}): LoadedRecovery {
    const output = new CapturedOutput();
    const machine = this.#load(this.recoverCommand, output, { hooks: {}, ...more }, this.#recoveryEnvironment);
    const { furtherRecoveries = [], thenCommand } = this.options;
    const followUps = new FollowUps([
      ...furtherRecoveries.map((command) => this.#followUp(command, "recover")),
      ...(thenCommand === undefined ? [] : [this.#followUp(thenCommand, "then")]),
    ]);
    // Traced recoveries are looked at for other things, and what is read at their end would count as theirs.
    const findsLeaks = this.options.findsLeaks === true && more.trace === undefined;
    return {
      recovery: new RecoveryMachine({
        machine,
        output,
        acknowledgedPath: this.acknowledgedPath,
        followUps,
        findsLeaks,
      }),
      machine,
    };
  }

  get #recoveryEnvironment(): readonly string[] {
    return [...this.options.env, `BLACKOUT_ACKED=${acknowledgedPath}`];
  }

  #followUp(command: readonly string[], kind: FollowUp["kind"]): FollowUp {
    const output = new CapturedOutput();
    const options = { ...this.options, env: this.#recoveryEnvironment, grants: [] };
    const machine = machineFor(options, command, this.ports, { ...this.#captured(output), hooks: {} });
    const wordsFor = (operation: number) => command.map((word) => word.replaceAll("{n}", String(operation)));
    return {
      machine,
      output,
      kind,
      load: (operation) => loadInto(machine, options, kind === "then" ? wordsFor(operation) : command, this.ports),
    };
  }
}
