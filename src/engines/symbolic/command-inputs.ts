/** Unknown bytes of a command: of its arguments, in memory when the program begins, and of its standard input. */
import { assert, InputError } from "../../base/index.ts";
import { gprs } from "../../isa/ir/index.ts";
import type { Term } from "../../smt/index.ts";
import type { Inputs } from "./explorer.ts";
import type { Guest } from "./guest.ts";
import type { Model, Unknowns } from "./unknowns.ts";

export interface UnknownCommand {
  /** By the argument's number, 1 being the first: how many of its bytes are unknown; undefined: all that it has. */
  readonly args: ReadonlyMap<number, number | undefined>;
  /** Bytes of standard input, which has no others. */
  readonly stdin: number;
}

/** A command as it can be run: arguments as strings with a character per byte. */
export interface CommandInput {
  readonly words: readonly string[];
  readonly stdin: Uint8Array | undefined;
}

const stackPointer = gprs[4]!;
const wordBytes = 8;
/** What unknown bytes of arguments are at first, beyond those that are given. */
const filler = "A";
const argumentName = (number: number): string => `argument ${number}`;
const stdinName = "stdin";

/** The command with its arguments as long as their unknown bytes: so it is loaded. */
export function paddedCommand(words: readonly string[], { args }: UnknownCommand): readonly string[] {
  for (const number of args.keys())
    if (number < 1 || number >= words.length)
      throw new InputError("symbolic/argument", `There is no argument ${number} to be unknown: the program has ${words.length - 1}.`, { number }); // biome-ignore format: one sentence
  return words.map((word, number) => {
    const length = args.get(number);
    return length === undefined ? word : word.slice(0, length).padEnd(length, filler);
  });
}

export class CommandInputs implements Inputs {
  readonly #words: readonly string[];
  readonly #unknown: UnknownCommand;

  /** `words` as `paddedCommand` gives them, a character for each byte. */
  constructor(words: readonly string[], unknown: UnknownCommand) {
    this.#words = words;
    this.#unknown = unknown;
  }

  begin({ port, shadow }: Guest, unknowns: Unknowns): void {
    const stack = Number(port.get(stackPointer));
    assert(Number(port.read(stack, wordBytes)) === this.#words.length, "symbolic: a program starts with its arguments");
    for (const number of this.#unknown.args.keys()) {
      const start = Number(port.read(stack + wordBytes * (1 + number), wordBytes));
      for (let i = 0; i < this.#words[number]!.length; i++)
        shadow.setByte(start + i, unknowns.byte(argumentName(number), i, port.byteAt(start + i)));
    }
  }

  stdinByte(unknowns: Unknowns, offset: number): Term | undefined {
    return offset < this.#unknown.stdin ? unknowns.byte(stdinName, offset, 0) : undefined;
  }

  /** As much of standard input as there is, before anything is known of it. */
  stdinPart(offset: number, length: number): Uint8Array {
    return new Uint8Array(Math.max(0, Math.min(length, this.#unknown.stdin - offset)));
  }

  /** The command for one input; an argument ends at its first zero. */
  inputFor(unknowns: Unknowns, model: Model): CommandInput {
    const words = this.#words.map((word, number) => {
      if (!this.#unknown.args.has(number)) return word;
      const bytes = unknowns.bytesOf(argumentName(number), model);
      const end = bytes.indexOf(0);
      return String.fromCharCode(...(end < 0 ? bytes : bytes.subarray(0, end)));
    });
    const { stdin } = this.#unknown;
    const read = unknowns.bytesOf(stdinName, model);
    const all = new Uint8Array(stdin);
    all.set(read.subarray(0, stdin));
    return { words, stdin: stdin === 0 ? undefined : all };
  }
}
