/** The machines of one check: set-up, the traced run, and recoveries. Nothing of them reaches the host's disk. */
import { InputError } from "../base/index.ts";
import { CapturedOutput, exportFiles, FileHistory, type FileVersion, importFiles, Recovery } from "../crash/index.ts";
import { ReplayableInput, ScratchFile, stderrLine } from "../host/index.ts";
import { EventStore, Recorder, type SinkFactory } from "../trace/index.ts";
import { type Machine, type MachineOptions, type Outcome, pathFromText, textFromPath } from "../vm/index.ts";
import { globPattern } from "./glob.ts";
import { loadProgram, type ProgramOptions } from "./program.ts";

export interface SessionOptions extends ProgramOptions {
  readonly pm: readonly string[];
  /** Whose run Valgrind's client requests are answered in: the one that is checked, another for the rules, or none. */
  readonly annotations: "on" | "rules" | "off";
  readonly setup?: string;
  readonly recover?: string;
}

/** Where a recovery finds what the program had printed: named to it in BLACKOUT_ACKED. */
const acknowledgedPath = "/tmp/.blackout-acked";

/** Of a trace's events; what is more lies in a scratch file. */
const keptBytes = 512 << 20;

/** Words as a shell would part them: quotes keep blanks, nothing is expanded. */
export function splitCommand(text: string): readonly string[] {
  const words = [...text.matchAll(/(?:[^\s'"]+|'[^']*'|"[^"]*")+/g)].map(([word]) =>
    word.replace(/'([^']*)'|"([^"]*)"/g, "$1$2"),
  );
  if (words.length === 0) throw new InputError("check/command", "A command needs a program's name.", { text });
  return words;
}

const persistentFiles = (globs: readonly RegExp[]): Partial<MachineOptions> =>
  globs.length === 0 ? {} : { isPersistent: (path) => globs.some((glob) => glob.test(textFromPath(path))) };

export interface TracedRun {
  readonly trace: EventStore;
  /** Where the trace's oldest events are, when they are many. */
  readonly scratch: ScratchFile | undefined;
  readonly history: FileHistory;
  readonly outcome: Outcome | undefined;
  /** The files after the program stopped, with every store in them. */
  readonly finalFiles: FileVersion;
  readonly stdout: string;
  /** Whether the program made Valgrind client requests, answered or not. */
  readonly madeRequests: boolean;
}

export class CheckSession {
  readonly #options: SessionOptions;
  readonly #program: readonly string[];
  readonly #machine: Partial<MachineOptions>;
  /** Recoveries read what the program and the undisturbed recovery read, from its beginning. */
  readonly input: ReplayableInput;
  #files: FileVersion | undefined;

  constructor(options: SessionOptions, program: readonly string[], input = new ReplayableInput(0)) {
    this.input = input;
    this.#options = { ...options, rw: [] };
    this.#program = program;
    this.#machine = { ...persistentFiles(options.pm.map(globPattern)), grants: [] };
  }

  get recoverCommand(): readonly string[] {
    return this.#options.recover === undefined ? this.#program : splitCommand(this.#options.recover);
  }

  #streams(output: CapturedOutput): MachineOptions["streams"] {
    const readInput = (offset: number, length: number) => this.input.readInput(offset, length);
    return { terminals: [false, false, false], readInput, writeOutput: output.write };
  }

  /** The files that are there when the program starts. */
  #setup(): FileVersion {
    this.#files ??= this.#options.setup === undefined ? new Map() : this.#runSetup(this.#options.setup);
    return this.#files;
  }
  #runSetup(setup: string): FileVersion {
    const output = new CapturedOutput();
    const command = splitCommand(setup);
    const machine = loadProgram(this.#options, command, { ...this.#machine, streams: this.#streams(output) });
    const result = machine.run();
    if (result.kind !== "ended" || result.outcome.kind !== "exit" || result.outcome.code !== 0)
      throw new InputError("check/setup", `The set-up command did not exit with 0: ${output.text(2).trim()}`, {
        setup,
      });
    machine.kernel.writeBack();
    return exportFiles(machine.files);
  }

  /** The program once more, answered as by Valgrind. */
  traceAnnotated(sinks: readonly SinkFactory[]): void {
    const machine = this.#traced({ recorder: new Recorder(sinks), annotations: true }, new CapturedOutput(), {});
    machine.run();
    machine.endTrace();
  }

  #traced(
    trace: NonNullable<MachineOptions["trace"]>,
    output: CapturedOutput,
    hooks: NonNullable<MachineOptions["hooks"]>,
  ): Machine {
    const streams = this.#streams(output);
    const machine = loadProgram(this.#options, this.#program, { ...this.#machine, streams, trace, hooks });
    importFiles(machine.files, this.#setup());
    return machine;
  }

  trace(sinks: readonly SinkFactory[]): TracedRun {
    const history = new FileHistory();
    const output = new CapturedOutput();
    let store: EventStore | undefined;
    let scratch: ScratchFile | undefined;
    const keep: SinkFactory = (tables) => {
      const openSpill = () => {
        scratch = ScratchFile.open();
        return scratch;
      };
      store = new EventStore(tables, { memoryBytes: keptBytes, openSpill, shared: true });
      return store;
    };
    const recorder = new Recorder([...sinks, keep]);
    let machine: Machine | undefined;
    const position = () => {
      machine?.drainTrace();
      return recorder.count;
    };
    machine = this.#traced({ recorder, annotations: this.#options.annotations === "on" }, output, {
      notice: (line) => stderrLine(`blackout: ${line}`),
      returned: (_tid, name) => history.returned(name, position),
    });
    history.begin(machine.files);
    const result = machine.run();
    machine.endTrace();
    machine.kernel.writeBack();
    const outcome = result.kind === "ended" ? result.outcome : undefined;
    const finalFiles = exportFiles(machine.files);
    const { madeRequests } = machine;
    return { trace: store!, scratch, history, outcome, finalFiles, stdout: output.text(1), madeRequests };
  }

  /** A machine that stands ready to recover; `more` may ask it to trace. */
  recovery(more: Partial<MachineOptions> = {}): { readonly recovery: Recovery; readonly machine: Machine } {
    const output = new CapturedOutput();
    const options = { ...this.#options, env: [...this.#options.env, `BLACKOUT_ACKED=${acknowledgedPath}`] };
    const machine = loadProgram(options, this.recoverCommand, {
      ...this.#machine,
      streams: this.#streams(output),
      hooks: {},
      ...more,
    });
    return { recovery: new Recovery({ machine, output, acknowledgedPath: pathFromText(acknowledgedPath) }), machine };
  }
}
