/**
 * x86-64 instructions of litmus tests, lowered to the instructions both models run. A row per mnemonic; operand order is
 * AT&T's (source first). Always: one line of assembly becomes a group of instructions with at most one memory access
 * each, and a non-locked read-modify-write is a load and a store.
 */
import { constant, type Expression, type FlushName, type Instruction, register, type UpdateName } from "../program.ts";
import { inputError, type Source } from "../source.ts";
import { type Operand, type Piece, parseOperand, splitOperands } from "./operands.ts";

/** One thread under construction. */
export interface ThreadBuilder {
  readonly source: Source;
  readonly locations: {
    index(name: string, offset: number): number;
    noteWidth(index: number, width: number, offset: number): void;
  };
  /** Registers that hold an address from the start. */
  readonly addresses: ReadonlyMap<string, string>;
  readonly code: Instruction[];
  readonly registers: string[];
  readonly labels: Map<string, number>;
  readonly jumps: { readonly at: number; readonly label: string; readonly offset: number }[];
}

type Bare = Instruction extends infer Each ? (Each extends unknown ? Omit<Each, "text"> : never) : never;

interface Line {
  readonly builder: ThreadBuilder;
  readonly operands: readonly Operand[];
  readonly locked: boolean;
  readonly width: number | undefined;
  readonly offset: number;
  readonly mnemonic: string;
  readonly emit: (instruction: Bare) => void;
}

/** Not a name a user can write: the difference last compared, and a place for values on their way. */
const FLAGS = "flags";
const SCRATCH = "scratch";

const registerIndex = ({ registers }: ThreadBuilder, name: string): number => {
  if (!registers.includes(name)) registers.push(name);
  return registers.indexOf(name);
};

const mistake = (line: Line, offset: number, sentence: string) =>
  inputError(line.builder.source, offset, "litmus/operands", sentence);

/** The location an operand addresses, if it is in memory. */
function memoryOf(line: Line, operand: Operand): number | undefined {
  if (operand.kind !== "memory" && operand.kind !== "indirect") return undefined;
  const { builder, width } = line;
  const name = operand.kind === "memory" ? operand.name : builder.addresses.get(operand.name);
  if (name === undefined)
    throw mistake(
      line,
      operand.offset,
      `%${operand.name} holds no address; give it one at the start, as in 0:${operand.name}=x.`,
    );
  const index = builder.locations.index(name, operand.offset);
  const registerWidth = line.operands.find((other) => other.kind === "register")?.width;
  const accessed = width ?? registerWidth;
  if (accessed !== undefined) builder.locations.noteWidth(index, accessed, operand.offset);
  return index;
}

/** The value of an operand; one in memory is loaded into the scratch register first. */
function operandValue(line: Line, operand: Operand): Expression {
  if (operand.kind === "immediate") return constant(operand.value);
  if (operand.kind === "register") return register(registerIndex(line.builder, operand.name));
  const location = memoryOf(line, operand);
  if (location === undefined)
    throw mistake(line, operand.offset, "a value, a register or a location is expected here.");
  line.emit({ kind: "load", register: registerIndex(line.builder, SCRATCH), location });
  return register(registerIndex(line.builder, SCRATCH));
}

const sum = (left: Expression, right: Expression, factor: number): Expression => ({
  constant: left.constant + factor * right.constant,
  terms: [...left.terms, ...right.terms.map((term) => ({ ...term, factor: factor * term.factor }))],
});

function writeTo(line: Line, operand: Operand, value: Expression): void {
  const location = memoryOf(line, operand);
  if (location !== undefined) line.emit({ kind: "store", nonTemporal: false, location, value });
  else if (operand.kind === "register")
    line.emit({ kind: "assign", register: registerIndex(line.builder, operand.name), value });
  else throw mistake(line, operand.offset, "only a register or a location can be written to.");
}

function move(line: Line): void {
  const [from, to] = line.operands as [Operand, Operand];
  const location = memoryOf(line, from);
  if (location !== undefined && to.kind === "register")
    line.emit({ kind: "load", register: registerIndex(line.builder, to.name), location });
  else if (location !== undefined) throw mistake(line, to.offset, "mov from memory goes to a register.");
  else writeTo(line, to, operandValue(line, from));
}

/** add, sub, inc, dec: locked in memory, in memory, or on a register. */
const arithmetic = (factor: number) => (line: Line) => {
  const [first, second] = line.operands as [Operand, Operand | undefined];
  const [amount, place] = second === undefined ? [constant(1), first] : [operandValue(line, first), second];
  const location = memoryOf(line, place);
  if (line.locked) {
    if (location === undefined) throw mistake(line, place.offset, "lock needs a location in memory to work on.");
    update(line, "add", registerIndex(line.builder, SCRATCH), location, sum(constant(0), amount, factor));
    return;
  }
  writeTo(line, place, sum(operandValue(line, place), amount, factor));
};

function update(line: Line, op: UpdateName, into: number, location: number, operand: Expression): void {
  line.emit({ kind: "update", op, register: into, location, expected: constant(0), operand });
}

function registerAndMemory(line: Line): { into: number; location: number } {
  const [from, to] = line.operands as [Operand, Operand];
  const location = memoryOf(line, to) ?? memoryOf(line, from);
  const other = [from, to].find((operand) => operand.kind === "register");
  if (location === undefined || other?.kind !== "register")
    throw mistake(line, from.offset, `${line.mnemonic} needs a register and a location.`);
  return { into: registerIndex(line.builder, other.name), location };
}

function exchange(line: Line): void {
  const { into, location } = registerAndMemory(line);
  update(line, "exchange", into, location, register(into));
}

function fetchAdd(line: Line): void {
  const { into, location } = registerAndMemory(line);
  if (!line.locked) throw mistake(line, line.offset, "xadd without lock is not modelled; write lock xadd.");
  update(line, "add", into, location, register(into));
}

/** The comparison is with rax, which receives the value found; flags tell whether they were equal. */
function compareExchange(line: Line): void {
  const { into, location } = registerAndMemory(line);
  if (!line.locked) throw mistake(line, line.offset, "cmpxchg without lock is not modelled; write lock cmpxchg.");
  const accumulator = registerIndex(line.builder, "rax");
  const flags = registerIndex(line.builder, FLAGS);
  const expected = register(accumulator);
  line.emit({ kind: "assign", register: flags, value: expected });
  line.emit({
    kind: "update",
    op: "compare-exchange",
    register: accumulator,
    location,
    expected,
    operand: register(into),
  });
  line.emit({ kind: "assign", register: flags, value: sum(register(flags), register(accumulator), -1) });
}

function compare(line: Line): void {
  const [right, left] = line.operands as [Operand, Operand];
  const value = sum(operandValue(line, left), operandValue(line, right), -1);
  line.emit({ kind: "assign", register: registerIndex(line.builder, FLAGS), value });
}

function clear(line: Line): void {
  const [from, to] = line.operands as [Operand, Operand];
  if (from.kind !== "register" || to.kind !== "register" || from.name !== to.name)
    throw mistake(line, from.offset, "xor is understood only of a register with itself.");
  line.emit({ kind: "assign", register: registerIndex(line.builder, to.name), value: constant(0) });
}

function test(line: Line): void {
  const [from, to] = line.operands as [Operand, Operand];
  if (from.kind !== "register" || to.kind !== "register" || from.name !== to.name)
    throw mistake(line, from.offset, "test is understood only of a register with itself.");
  line.emit({ kind: "assign", register: registerIndex(line.builder, FLAGS), value: operandValue(line, to) });
}

const jump = (when: "zero" | "nonzero" | "always") => (line: Line) => {
  const [label] = line.operands as [Operand];
  if (label.kind !== "label") throw mistake(line, label.offset, "a jump goes to a label.");
  line.builder.jumps.push({ at: line.builder.code.length, label: label.name, offset: label.offset });
  const value = when === "always" ? constant(0) : register(registerIndex(line.builder, FLAGS));
  line.emit({ kind: "jump", when: when === "nonzero" ? "nonzero" : "zero", value, target: 0 });
};

const flush = (op: FlushName) => (line: Line) => {
  const [operand] = line.operands as [Operand];
  const location = memoryOf({ ...line, width: undefined }, operand);
  if (location === undefined) throw mistake(line, operand.offset, `${op} needs a location.`);
  line.emit({ kind: "flush", op, location });
};

const fence = (op: "sfence" | "mfence") => (line: Line) => line.emit({ kind: "fence", op });

function nonTemporal(line: Line): void {
  const [from, to] = line.operands as [Operand, Operand];
  const location = memoryOf(line, to);
  if (location === undefined || from.kind !== "register")
    throw mistake(line, to.offset, "movnti goes from a register to a location.");
  line.emit({ kind: "store", nonTemporal: true, location, value: operandValue(line, from) });
}

interface Row {
  readonly operands: readonly number[];
  readonly lower: (line: Line) => void;
  /** Takes a width suffix b, w, l, q. */
  readonly sized: boolean;
  readonly lockable: boolean;
}

const row = (operands: number | readonly number[], lower: Row["lower"], traits = ""): Row => ({
  operands: typeof operands === "number" ? [operands] : operands,
  lower,
  sized: traits.includes("sized"),
  lockable: traits.includes("lockable"),
});

// biome-ignore format: columns stay aligned
const mnemonics: Readonly<Record<string, Row>> = {
  mov:        row(2, move,               "sized"),
  movnti:     row(2, nonTemporal,        "sized"),
  add:        row(2, arithmetic(1),      "sized lockable"),
  sub:        row(2, arithmetic(-1),     "sized lockable"),
  inc:        row(1, arithmetic(1),      "sized lockable"),
  dec:        row(1, arithmetic(-1),     "sized lockable"),
  xor:        row(2, clear,              "sized"),
  cmp:        row(2, compare,            "sized"),
  test:       row(2, test,               "sized"),
  xchg:       row(2, exchange,           "sized lockable"),
  xadd:       row(2, fetchAdd,           "sized lockable"),
  cmpxchg:    row(2, compareExchange,    "sized lockable"),
  je:         row(1, jump("zero")),
  jz:         row(1, jump("zero")),
  jne:        row(1, jump("nonzero")),
  jnz:        row(1, jump("nonzero")),
  jmp:        row(1, jump("always")),
  clflush:    row(1, flush("clflush")),
  clflushopt: row(1, flush("clflushopt")),
  clwb:       row(1, flush("clwb")),
  sfence:     row(0, fence("sfence")),
  mfence:     row(0, fence("mfence")),
  /** Loads already stay in order, and lfence makes nothing visible or persistent. */
  lfence:     row(0, () => {}),
  nop:        row(0, () => {}),
};

const widths: Readonly<Record<string, number>> = { b: 1, w: 2, l: 4, q: 8 };

function findRow(mnemonic: string): { row: Row; width?: number } | undefined {
  const exact = mnemonics[mnemonic];
  if (exact !== undefined) return { row: exact };
  const width = widths[mnemonic.at(-1) ?? ""];
  const base = mnemonics[mnemonic.slice(0, -1)];
  return base?.sized && width !== undefined ? { row: base, width } : undefined;
}

/** Lowers one cell of the program table: an optional label, an optional lock, an instruction. */
export function lowerCell(builder: ThreadBuilder, cell: Piece): void {
  const match = /^(?:([A-Za-z_.]\w*)\s*:)?\s*((?:lock\s*;?\s+)?)([A-Za-z]\w*)?\s*(.*)$/s.exec(cell.text);
  const [, label, lock = "", mnemonic, rest = ""] = match ?? [];
  if (label !== undefined) builder.labels.set(label, builder.code.length);
  if (mnemonic === undefined) {
    if (rest !== "") throw inputError(builder.source, cell.offset, "litmus/syntax", `cannot read ${rest}.`);
    return;
  }
  const offset = cell.offset + cell.text.lastIndexOf(mnemonic, cell.text.length - rest.length);
  const found = findRow(mnemonic.toLowerCase());
  if (found === undefined) {
    const known = Object.keys(mnemonics).join(", ");
    throw inputError(
      builder.source,
      offset,
      "litmus/unknown-instruction",
      `unknown instruction ${mnemonic}; known are ${known}.`,
    );
  }
  const operands = splitOperands(rest, cell.offset + cell.text.length - rest.length).map((piece) =>
    parseOperand(builder.source, piece),
  );
  if (!found.row.operands.includes(operands.length)) {
    const wanted = found.row.operands.join(" or ");
    throw inputError(
      builder.source,
      offset,
      "litmus/operands",
      `${mnemonic} takes ${wanted} operands, not ${operands.length}.`,
    );
  }
  const locked = lock !== "";
  if (locked && !found.row.lockable)
    throw inputError(builder.source, cell.offset, "litmus/operands", `${mnemonic} cannot be locked.`);
  const text = cell.text
    .slice(label === undefined ? 0 : cell.text.indexOf(":") + 1)
    .trim()
    .replace(/\s+/g, " ");
  found.row.lower({
    builder,
    operands,
    locked,
    width: found.width,
    offset,
    mnemonic,
    emit: (instruction) => builder.code.push({ ...instruction, text } as Instruction),
  });
}
