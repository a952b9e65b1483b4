/** Unknown bytes of a command: of its arguments and its environment, in memory when the program begins, and of its standard input. */
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
  /** By the variable's name: how many bytes of its value are unknown; undefined: all that it has. */
  readonly environment: ReadonlyMap<string, number | undefined>;
  /** By the file's path: which of the bytes that it has at the start are unknown, from the first up to the last one's next. */
  readonly files: ReadonlyMap<string, FileRange | undefined>;
}

export interface FileRange {
  readonly from: number;
  readonly to: number;
}

/** Bytes of a file, in place of those that it has at the start. */
export interface GivenFile {
  readonly path: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A command as it can be run: arguments as strings with a character per byte. */
export interface CommandInput {
  readonly words: readonly string[];
  readonly stdin: Uint8Array | undefined;
  /** NAME=VALUE, of variables with unknown bytes. */
  readonly environment: readonly string[];
  /** Bytes that the program says are unknown, by their names. */
  readonly named: ReadonlyMap<string, Uint8Array>;
  readonly files: readonly GivenFile[];
}

const stackPointer = gprs[4]!;
const wordBytes = 8;
/** What unknown bytes of arguments are at first, beyond those that are given. */
const filler = "A";
const argumentName = (number: number): string => `argument ${number}`;
const stdinName = "stdin";
const environmentName = (name: string): string => `environment ${name}`;
const fileName = (path: string): string => `file ${path}`;
const upToZero = (bytes: Uint8Array): string => {
  const end = bytes.indexOf(0);
  return String.fromCharCode(...(end < 0 ? bytes : bytes.subarray(0, end)));
};
const padded = (text: string, length: number | undefined): string =>
  length === undefined ? text : text.slice(0, length).padEnd(length, filler);

/** The command with its arguments as long as their unknown bytes: so it is loaded. */
export function paddedCommand(words: readonly string[], { args }: UnknownCommand): readonly string[] {
  for (const number of args.keys())
    if (number < 1 || number >= words.length)
      throw new InputError("symbolic/argument", `There is no argument ${number} to be unknown: the program has ${words.length - 1}.`, { number }); // biome-ignore format: one sentence
  return words.map((word, number) => padded(word, args.get(number)));
}

/** The same for variables of the environment, which are added where they are not set. */
export function paddedEnvironment(entries: readonly string[], { environment }: UnknownCommand): readonly string[] {
  const isUnknown = (entry: string) => environment.has(entry.slice(0, entry.indexOf("=")));
  const own = [...environment].map(([name, length]) => {
    const given = entries.findLast((entry) => entry.startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
    if (padded(given, length) === "")
      throw new InputError("symbolic/environment", `The variable ${name} is not set: say how long it is, with --sym-env ${name}:LENGTH.`, { name }); // biome-ignore format: one sentence
    return `${name}=${padded(given, length)}`;
  });
  return [...entries.filter((entry) => !isUnknown(entry)), ...own];
}

export class CommandInputs implements Inputs {
  readonly #words: readonly string[];
  readonly #unknown: UnknownCommand;

  /** `words` as `paddedCommand` gives them, a character for each byte. */
  constructor(words: readonly string[], unknown: UnknownCommand) {
    this.#words = words;
    this.#unknown = unknown;
  }

  begin(guest: Guest, unknowns: Unknowns): void {
    const { port } = guest;
    const stack = Number(port.get(stackPointer));
    const count = this.#words.length;
    const pointerAt = (index: number) => Number(port.read(stack + wordBytes * index, wordBytes));
    assert(pointerAt(0) === count, "symbolic: a program starts with its arguments");
    for (const number of this.#unknown.args.keys())
      markText(guest, unknowns, argumentName(number), pointerAt(1 + number));
    // Behind the arguments and a null pointer.
    for (let at = count + 2; pointerAt(at) !== 0; at++) {
      const [name, length] = nameAt(guest, pointerAt(at));
      if (this.#unknown.environment.has(name))
        markText(guest, unknowns, environmentName(name), pointerAt(at) + length + 1);
    }
    for (const [path, range] of this.#unknown.files) markFile(guest, unknowns, path, range);
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
    const { args, stdin, environment, files } = this.#unknown;
    const textOf = (name: string) => upToZero(unknowns.bytesOf(name, model));
    const words = this.#words.map((word, number) => (args.has(number) ? textOf(argumentName(number)) : word));
    const all = new Uint8Array(stdin);
    all.set(unknowns.bytesOf(stdinName, model).subarray(0, stdin));
    const others = new Set([
      stdinName,
      ...[...args.keys()].map(argumentName),
      ...[...environment.keys()].map(environmentName),
      ...[...files.keys()].map(fileName),
    ]);
    const named = unknowns.names.filter((name) => !others.has(name));
    return {
      words,
      stdin: stdin === 0 ? undefined : all,
      environment: [...environment.keys()].map((name) => `${name}=${textOf(environmentName(name))}`),
      files: [...files].map(([path, range]) => {
        const offset = range?.from ?? 0;
        return { path, offset, bytes: unknowns.bytesOf(fileName(path), model).subarray(offset) };
      }),
      named: new Map(named.map((name) => [name, unknowns.bytesOf(name, model)])),
    };
  }
}

/** The bytes of a string are unknown, but not the zero at its end. */
function markText({ port, shadow }: Guest, unknowns: Unknowns, name: string, start: number): void {
  for (let i = 0; port.byteAt(start + i) !== 0; i++)
    shadow.setByte(start + i, unknowns.byte(name, i, port.byteAt(start + i)));
}

function markFile(
  { machine, port, shadow }: Guest,
  unknowns: Unknowns,
  path: string,
  range: FileRange | undefined,
): void {
  const [file, contents] = [port.fileAt(path), machine.readFile(path)];
  if (file === undefined || contents === undefined)
    throw new InputError("symbolic/file", `There is no file ${path} when the program starts; --setup can make it.`, {
      path,
    });
  const { from, to } = range ?? { from: 0, to: contents.length };
  if (to > contents.length || from >= to)
    throw new InputError("symbolic/range", `${path} has ${contents.length} bytes: say which of them are unknown.`, {
      path,
    });
  for (let at = from; at < to; at++) shadow.files.set(file, at, unknowns.byte(fileName(path), at, contents[at]!));
}

/** The name of a variable of the environment, and its length. */
function nameAt({ port }: Guest, start: number): readonly [name: string, length: number] {
  let name = "";
  for (let at = start; port.byteAt(at) !== 0 && port.byteAt(at) !== 0x3d; at++)
    name += String.fromCharCode(port.byteAt(at));
  return [name, name.length];
}
