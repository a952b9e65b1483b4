/**
 * Commands that run after a recovery that went well, each on what the one before left: further recoveries, and work that
 * goes on (Witcher's output equivalence). Always:
 * - A command depends on the files it finds, what had been printed, and the number of the operation that it is to make.
 * - What it uses of persistent files is told as words of the crash state, also where a command before it stored: one word
 *   too many only spares less work.
 */
import type { Machine, MachineSnapshot, WatchOptions } from "../../machine/index.ts";
import { runUnlessEndless } from "./endless.ts";
import { verdictFails } from "./failure.ts";
import { type CapturedOutput, type RecoveryEnd, verdictOf } from "./recovery-machine.ts";

/** A command with a machine of its own, nothing loaded. */
export interface FollowUp {
  readonly machine: Machine;
  readonly output: CapturedOutput;
  /** recover: must go well. then: what it prints counts too. */
  readonly kind: "recover" | "then";
  /** Loads the command, which is to make the operation of this number. */
  load(operation: number): void;
}

export interface FollowUpRun {
  readonly operation: number;
  readonly maxInstructions: number;
  readonly expectExit: number;
  /** What the commands use is told. */
  readonly uses?: WatchOptions & { operation(): void };
}

/** With its machine as it is before anything is loaded. */
type Ready = FollowUp & { readonly empty: MachineSnapshot };

export class FollowUps {
  readonly #commands: readonly Ready[];

  constructor(commands: readonly FollowUp[]) {
    this.#commands = commands.map((command) => ({ ...command, empty: command.machine.snapshot() }));
  }

  /** How the last command ends, or the first that does not go well. `left` is the machine that the recovery ran in. */
  run(first: RecoveryEnd, left: Machine, how: FollowUpRun): RecoveryEnd {
    let [ended, machine] = [first, left];
    for (const [at, command] of this.#commands.entries()) {
      if (verdictFails(ended.verdict, how.expectExit)) return ended;
      const own = this.#runOne(command, machine, how);
      ended = {
        ...own,
        instructions: Math.max(ended.instructions, own.instructions),
        stdout: ended.stdout + own.stdout,
        command: at + 1,
        ...(command.kind === "then" && { thenPrinted: own.stdout }),
        ...(first.unreached && { unreached: first.unreached }),
      };
      machine = command.machine;
    }
    return ended;
  }

  #runOne({ machine, output, empty, kind, load }: Ready, before: Machine, how: FollowUpRun): RecoveryEnd {
    before.writeBack();
    const files = before.exportFiles();
    machine.restore(empty);
    output.turnBack([0, 0, 0]);
    machine.importFiles(files);
    if (kind === "then") how.uses?.operation();
    load(how.operation);
    machine.watch(how.uses);
    const result = runUnlessEndless(machine, how.maxInstructions);
    machine.watch(undefined);
    const instructions = result.kind === "limit" ? how.maxInstructions : machine.instructions;
    return { verdict: verdictOf(result, instructions), instructions, stdout: output.text(1), stderr: output.text(2) };
  }
}
