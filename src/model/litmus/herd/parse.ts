/**
 * Litmus tests in herd's text format for x86-64: header, initial state in braces, a table of threads, a condition.
 * Two additions: a header line `Lines=x y, z w` puts x and y on one line and z and w on another (each other location has
 * its own), and conditions may speak of recovered memory. Tests without either are read as herd reads them.
 */
import { mentions } from "../condition.ts";
import type { Check, Instruction, LitmusTest, Location, Thread } from "../program.ts";
import { inputError, type Source } from "../source.ts";
import { parseQuestion, type Question, startsQuestion } from "./conditions.ts";
import { lowerCell, type ThreadBuilder } from "./instructions.ts";
import { type Piece, registerNamed } from "./operands.ts";

/** Comments become spaces, so that offsets stay what they were. */
const withoutComments = (text: string): string =>
  text.replace(/\(\*[\s\S]*?\*\)|^\s*\/\/.*$/gm, (comment) => comment.replace(/[^\n]/g, " "));

export function parseHerdTest(given: Source): LitmusTest {
  const source = { file: given.file, text: withoutComments(given.text) };
  const header = parseHeader(source);
  const initial = parseInitial(source, header.end);
  const locations = new LocationTable(source, initial.memory);
  const { rows, questionAt } = splitProgram(source, initial.end);
  const threads = parseThreads(source, rows, initial, locations);
  for (const { name, offset } of header.lines.flat()) locations.known(name, offset);
  const question = parseQuestion(source, questionAt, {
    location: (name, offset) => locations.known(name, offset),
    register: (thread, name, offset) => {
      const index = threads[thread]?.registers.indexOf(name) ?? -1;
      if (index >= 0) return index;
      const what = threads[thread] === undefined ? `thread ${thread}` : `register ${name} in thread ${thread}`;
      throw inputError(source, offset, "litmus/unknown-register", `unknown ${what}: the program does not use it.`);
    },
  });
  return {
    name: header.name,
    source: header.title,
    locations: locations.placed(header.lines),
    phases: [threads],
    checks: [checkFor(question)],
  };
}

function checkFor({ quantifier, atEnd, condition, text }: Question): Check {
  const crash = mentions(condition, "recovered");
  const joint = mentions(condition, "memory") || mentions(condition, "register");
  const at = !crash ? "final" : atEnd || joint ? "end" : "any";
  const base = { at, entry: [], why: "", text } as const;
  if (quantifier === "exists") return { ...base, condition };
  if (quantifier === "~exists") return { ...base, condition, expected: "FORBIDDEN" };
  return { ...base, condition: { kind: "not", part: condition }, expected: "FORBIDDEN" };
}

interface Header {
  readonly name: string;
  readonly title: string;
  readonly lines: readonly (readonly { name: string; offset: number }[])[];
  readonly end: number;
}

function parseHeader(source: Source): Header {
  const first = /^\s*(\w+)[ \t]+(\S+)/.exec(source.text);
  if (first === null || first[1] !== "X86_64")
    throw inputError(
      source,
      0,
      "litmus/header",
      "a herd test begins with X86_64 and its name; other machines are not read.",
    );
  const end = source.text.indexOf("{", first[0].length);
  if (end < 0) throw inputError(source, source.text.length, "litmus/header", "the initial state in braces is missing.");
  const declared = /^[ \t]*Lines[ \t]*=(.*)$/m.exec(source.text.slice(0, end));
  const from = declared === null ? 0 : declared.index + declared[0].length - (declared[1] ?? "").length;
  const lines = (declared?.[1] ?? "").split(",").map((group, index, groups) => {
    const start = from + groups.slice(0, index).join(",").length + (index > 0 ? 1 : 0);
    return [...group.matchAll(/\w+/g)].map((word) => ({ name: word[0], offset: start + word.index }));
  });
  const title = /"([^"]*)"/.exec(source.text.slice(0, end))?.[1] ?? "";
  return { name: first[2] as string, title, lines, end };
}

interface Initial {
  readonly memory: readonly { name: string; value: number }[];
  /** By thread, then register. */
  readonly registers: ReadonlyMap<number, ReadonlyMap<string, number>>;
  readonly addresses: ReadonlyMap<number, ReadonlyMap<string, string>>;
  readonly end: number;
}

function parseInitial(source: Source, open: number): Initial {
  const close = source.text.indexOf("}", open);
  if (close < 0) throw inputError(source, open, "litmus/initial", "this brace is never closed.");
  const memory: { name: string; value: number }[] = [];
  const registers = new Map<number, Map<string, number>>();
  const addresses = new Map<number, Map<string, string>>();
  let offset = open + 1;
  for (const statement of source.text.slice(open + 1, close).split(";")) {
    const at = offset + (statement.length - statement.trimStart().length);
    offset += statement.length + 1;
    const text = statement.trim();
    if (text === "") continue;
    const set =
      /^(?:[A-Za-z_]\w*\*?\s+)?(?:(\d+):)?(?:[A-Za-z_]\w*\*?\s+)?\*?\[?%?([A-Za-z_]\w*)\]?(?:\s*=\s*&?(-?\w+))?$/.exec(
        text,
      );
    if (set === null)
      throw inputError(source, at, "litmus/initial", `cannot read ${text}; write x=1, 0:rax=1 or 0:rdi=x.`);
    const [, thread, name = "", value = "0"] = set;
    const isNumber = Number.isSafeInteger(Number(value));
    if (thread === undefined) {
      if (!isNumber) throw inputError(source, at, "litmus/initial", `${value} is not a whole number.`);
      memory.push({ name, value: Number(value) });
      continue;
    }
    const register = registerNamed(name)?.name;
    if (register === undefined) throw inputError(source, at, "litmus/unknown-register", `unknown register ${name}.`);
    if (isNumber) nested(registers, Number(thread)).set(register, Number(value));
    else nested(addresses, Number(thread)).set(register, value);
  }
  return { memory, registers, addresses, end: close + 1 };
}

function nested<Value>(maps: Map<number, Map<string, Value>>, key: number): Map<string, Value> {
  const found = maps.get(key) ?? new Map<string, Value>();
  maps.set(key, found);
  return found;
}

/** Rows of the table end in semicolons, cells are divided by bars; the condition follows. */
function splitProgram(source: Source, start: number): { rows: Piece[][]; questionAt: number } {
  const rows: Piece[][] = [];
  let at = start;
  while (!startsQuestion(source.text.slice(at))) {
    const end = source.text.indexOf(";", at);
    if (end < 0) {
      const offset = at + (/^\s*/.exec(source.text.slice(at))?.[0].length ?? 0);
      throw inputError(
        source,
        offset,
        "litmus/syntax",
        "expected a row of the program ended by ; or a condition (exists ...).",
      );
    }
    let cellAt = at;
    rows.push(
      source.text
        .slice(at, end)
        .split("|")
        .map((cell) => {
          const offset = cellAt + (cell.length - cell.trimStart().length);
          cellAt += cell.length + 1;
          return { text: cell.trim(), offset };
        }),
    );
    at = end + 1;
  }
  return { rows, questionAt: at };
}

class LocationTable {
  readonly #source: Source;
  readonly #names: string[] = [];
  readonly #initial = new Map<string, number>();
  readonly #widths = new Map<number, number>();
  constructor(source: Source, initial: Initial["memory"]) {
    this.#source = source;
    for (const { name, value } of initial) {
      this.index(name);
      this.#initial.set(name, value);
    }
  }
  /** Naming a location in the program declares it. */
  index(name: string): number {
    if (!this.#names.includes(name)) this.#names.push(name);
    return this.#names.indexOf(name);
  }
  known(name: string, offset: number): number {
    if (this.#names.includes(name)) return this.#names.indexOf(name);
    throw inputError(
      this.#source,
      offset,
      "litmus/unknown-location",
      `unknown location ${name}: the program does not use it.`,
    );
  }
  noteWidth(index: number, width: number, offset: number): void {
    const before = this.#widths.get(index) ?? width;
    if (before !== width)
      throw inputError(
        this.#source,
        offset,
        "litmus/mixed-size",
        `${this.#names[index]} is accessed with ${before} and with ${width} bytes; mixed sizes are outside the model.`,
      );
    this.#widths.set(index, width);
  }
  placed(shared: Header["lines"]): Location[] {
    const lineOf = (name: string, index: number) => {
      const group = shared.findIndex((names) => names.some((other) => other.name === name));
      return group >= 0 ? this.#names.length + group : index;
    };
    return this.#names.map((name, index) => ({
      name,
      line: lineOf(name, index),
      initial: this.#initial.get(name) ?? 0,
    }));
  }
}

function parseThreads(source: Source, rows: readonly Piece[][], initial: Initial, locations: LocationTable): Thread[] {
  const [titles, ...body] = rows;
  if (titles === undefined)
    throw inputError(source, initial.end, "litmus/syntax", "the table of threads (P0 | P1 ;) is missing.");
  const builders = titles.map(({ text, offset }, thread): ThreadBuilder => {
    if (text !== `P${thread}`)
      throw inputError(source, offset, "litmus/syntax", `expected P${thread} here, found ${text || "nothing"}.`);
    const addresses = initial.addresses.get(thread) ?? new Map<string, string>();
    const registers = [...(initial.registers.get(thread)?.keys() ?? [])];
    return { source, locations, addresses, code: [], registers, labels: new Map(), jumps: [] };
  });
  for (const row of body)
    row.forEach((cell, thread) => {
      const builder = builders[thread];
      if (builder === undefined)
        throw inputError(
          source,
          cell.offset,
          "litmus/syntax",
          `this row has more cells than the ${builders.length} threads.`,
        );
      if (cell.text !== "") lowerCell(builder, cell);
    });
  return builders.map((builder, thread) => finishThread(builder, initial.registers.get(thread)));
}

function finishThread(builder: ThreadBuilder, initial: ReadonlyMap<string, number> | undefined): Thread {
  const code = builder.code.slice();
  for (const { at, label, offset } of builder.jumps) {
    const target = builder.labels.get(label);
    if (target === undefined)
      throw inputError(builder.source, offset, "litmus/unknown-label", `there is no label ${label} in this thread.`);
    if (target <= at)
      throw inputError(
        builder.source,
        offset,
        "litmus/loop",
        `${label} lies behind this jump; loops are not modelled.`,
      );
    code[at] = { ...(code[at] as Instruction), target } as Instruction;
  }
  const { registers } = builder;
  return { code, registers, initial: registers.map((name) => initial?.get(name) ?? 0) };
}
