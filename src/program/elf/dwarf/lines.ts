/**
 * Line tables (DWARF 5, section 6.2; versions 2 to 5): which source line each address comes from. Always:
 * - Rows of one sequence ascend by address, and of rows at one address the last one counts, as in binutils.
 * - Running a program takes time proportional to its bytes: each opcode adds at most one row.
 */
import { assert } from "../../../base/index.ts";
import type { Cursor } from "../cursor.ts";
import { IntervalIndex } from "../intervals.ts";
import { type LineHeader, readLineHeader } from "./line-header.ts";
import type { Unit } from "./units.ts";

export interface SourcePlace {
  readonly file: string | undefined;
  readonly line: number;
  readonly column: number;
}

interface Row {
  readonly address: number;
  readonly file: number;
  readonly line: number;
  readonly column: number;
}

interface Sequence {
  readonly low: number;
  readonly high: number;
  readonly rows: readonly Row[];
}

export class LineTable {
  readonly #header: LineHeader;
  readonly #sequences: readonly Sequence[];
  readonly #index: IntervalIndex<Sequence>;

  constructor(unit: Unit, at: number) {
    const cursor = unit.info.sections.cursor("line", at);
    this.#header = readLineHeader(cursor, unit);
    this.#sequences = runProgram(cursor.at(this.#header.programStart, this.#header.end), this.#header);
    this.#index = new IntervalIndex(this.#sequences.map((value) => ({ low: value.low, high: value.high, value })));
  }

  /** The path of a file by its index, as DW_AT_call_file and DW_AT_decl_file count them. */
  file(index: number): string | undefined {
    return this.#header.files[index];
  }

  place(address: number): SourcePlace | undefined {
    const sequence = this.#index.at(address)[0];
    if (sequence === undefined) return undefined;
    const row = lastRowUpTo(sequence.rows, address);
    return row === undefined ? undefined : { file: this.file(row.file), line: row.line, column: row.column };
  }

  /** The stretches of code the table describes. */
  get extents(): readonly { readonly low: number; readonly high: number }[] {
    return this.#sequences;
  }
}

function lastRowUpTo(rows: readonly Row[], address: number): Row | undefined {
  let low = 0;
  let high = rows.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((rows[middle] as Row).address <= address) low = middle + 1;
    else high = middle;
  }
  assert(low === 0 || (rows[low - 1] as Row).address <= address, "dwarf: the rows of a sequence ascend");
  return rows[low - 1];
}

interface Registers {
  address: number;
  operation: number;
  file: number;
  line: number;
  column: number;
}

const initialRegisters = (): Registers => ({ address: 0, operation: 0, file: 1, line: 1, column: 0 });

/** The state machine of section 6.2.2. */
class Program {
  readonly header: LineHeader;
  registers = initialRegisters();
  readonly sequences: Sequence[] = [];
  #rows: Row[] = [];

  constructor(header: LineHeader) {
    this.header = header;
  }

  advance(operations: number): void {
    const { minInstructionLength, maxOperations } = this.header;
    const { registers } = this;
    if (maxOperations <= 1) {
      registers.address += minInstructionLength * operations;
    } else {
      const total = registers.operation + operations;
      registers.address += minInstructionLength * Math.floor(total / maxOperations);
      registers.operation = total % maxOperations;
    }
  }

  emit(): void {
    const { address, file, line, column } = this.registers;
    this.#rows.push({ address, file, line, column });
  }

  endSequence(): void {
    const rows = isAscending(this.#rows) ? this.#rows : this.#rows.toSorted((a, b) => a.address - b.address);
    const low = rows[0]?.address;
    const high = this.registers.address;
    if (low !== undefined && low < high) this.sequences.push({ low, high, rows });
    assert(rows.length === 0 || (rows[0] as Row).address <= (rows.at(-1) as Row).address, "dwarf: rows ascend");
    this.#rows = [];
    this.registers = initialRegisters();
  }
}

const isAscending = (rows: readonly Row[]) =>
  rows.every((row, index) => index === 0 || (rows[index - 1] as Row).address <= row.address);

function runProgram(cursor: Cursor, header: LineHeader): readonly Sequence[] {
  const program = new Program(header);
  const { opcodeBase, lineBase, lineRange } = header;
  while (!cursor.atEnd) {
    const opcode = cursor.u8();
    if (opcode >= opcodeBase) {
      const adjusted = opcode - opcodeBase;
      program.advance(Math.floor(adjusted / lineRange));
      program.registers.line += lineBase + (adjusted % lineRange);
      program.emit();
    } else if (opcode === 0) {
      runExtended(cursor, program);
    } else {
      const run = standardOpcodes[opcode];
      if (run !== undefined) run(cursor, program);
      else for (let count = header.operandCounts[opcode - 1] ?? 0; count > 0; count--) cursor.uleb();
    }
  }
  return program.sequences;
}

const ignoreOne = (cursor: Cursor) => void cursor.uleb();
const nothing = () => undefined;

/** DW_LNS_*, by number. */
const standardOpcodes: Readonly<Record<number, (cursor: Cursor, program: Program) => void>> = {
  1: (_cursor, program) => program.emit(),
  2: (cursor, program) => program.advance(cursor.uleb()),
  3: (cursor, { registers }) => {
    registers.line += cursor.sleb();
  },
  4: (cursor, { registers }) => {
    registers.file = cursor.uleb();
  },
  5: (cursor, { registers }) => {
    registers.column = cursor.uleb();
  },
  6: nothing, // negate_stmt
  7: nothing, // set_basic_block
  8: (_cursor, program) => {
    const { opcodeBase, lineRange } = program.header;
    program.advance(Math.floor((255 - opcodeBase) / lineRange));
  },
  9: (cursor, { registers }) => {
    registers.address += cursor.u16();
    registers.operation = 0;
  },
  10: nothing, // set_prologue_end
  11: nothing, // set_epilogue_begin
  12: ignoreOne, // set_isa
};

function runExtended(cursor: Cursor, program: Program): void {
  const length = cursor.uleb();
  const end = cursor.position + length;
  if (length === 0) return;
  const opcode = cursor.u8();
  if (opcode === 1) program.endSequence();
  if (opcode === 2) {
    program.registers.address = cursor.unsigned(length - 1);
    program.registers.operation = 0;
  }
  cursor.position = cursor.at(end).position;
}
