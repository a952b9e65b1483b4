/** Runs recovery on ordered crash states. Always: a run ends as one from the recovery's first instruction would. */
import { baseName } from "../../base/index.ts";
import { FoldedCode } from "../../crash/recovery-tree/index.ts";
import { type RecoveryEnd, type RecoveryMachine, StartedRecovery } from "../../crash/states/index.ts";
import { AskedWords } from "./asked-words.ts";
import type { OrderedStates } from "./ordered-states.ts";
import type { CrashOrder } from "./orders.ts";

export class OrderRunner {
  readonly #states: OrderedStates;
  readonly #started: StartedRecovery;
  readonly #folded: FoldedCode;
  readonly #asked = new AskedWords();
  readonly #files: ReadonlyMap<string, number>;
  readonly #persistent: ReadonlySet<string>;
  readonly #acknowledgedName: string;
  #standsAmong: number | undefined;

  constructor(states: OrderedStates, recovery: RecoveryMachine, maxInstructions: number, checksums: readonly string[]) {
    this.#states = states;
    this.#folded = new FoldedCode(recovery.options.machine, checksums);
    this.#started = new StartedRecovery(recovery, maxInstructions);
    this.#files = new Map(states.paths.map((path, file) => [path, file]));
    this.#persistent = new Set(states.paths);
    this.#acknowledgedName = baseName(recovery.options.acknowledgedPath);
  }

  /** What it asked is valid until the next run. */
  run(order: CrashOrder): { readonly asked: AskedWords; readonly ended: RecoveryEnd } {
    const { lines, acknowledged } = this.#states.layout(order);
    this.#standAmong(order);
    const asked = this.#asked;
    asked.begin();
    const name = (text: string) => asked.other(text === this.#acknowledgedName ? "acknowledged" : `/${text}`);
    for (const each of this.#started.names) name(each);
    const inputs = { lines, persistent: this.#persistent, acknowledged, operation: 0 };
    const uses = {
      halves: true as const,
      words: (path: string, numbers: Int32Array) => asked.words(this.#files.get(path)!, numbers),
      name,
      listing: () => asked.other("listing"),
      operation: () => {},
    };
    const ended = this.#started.run(inputs, 0, uses, (instructions) =>
      this.#folded.run(instructions, (inside) => asked.fold(inside)),
    );
    return { asked, ended };
  }

  #standAmong(order: CrashOrder): void {
    const number = this.#states.filesNumber(order);
    if (this.#standsAmong === number) return;
    this.#standsAmong = number;
    this.#started.prepare(this.#states.files(order), this.#persistent);
  }
}
