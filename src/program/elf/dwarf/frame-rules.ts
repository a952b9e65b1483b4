/**
 * How the caller's registers follow from the callee's at one address: the unwinding program run up to it (DWARF 5,
 * section 6.4.2). A register without a rule is taken to be what it was: a variable is not said to be in a register at a call
 * that changes it, and compilers that look across functions say so of registers that others would save.
 */
import type { Cursor } from "../cursor.ts";
import type { FrameEntry } from "./call-frames.ts";

export type CfaRule =
  | { readonly kind: "register"; readonly register: number; readonly offset: number }
  | { readonly kind: "expression"; readonly expression: Uint8Array };

export type RegisterRule =
  | { readonly kind: "undefined" | "same" }
  /** Saved in memory at the canonical frame address plus this. */
  | { readonly kind: "saved"; readonly offset: number }
  /** Is the canonical frame address plus this. */
  | { readonly kind: "offset"; readonly offset: number }
  | { readonly kind: "register"; readonly register: number }
  | { readonly kind: "saved-at" | "computed"; readonly expression: Uint8Array };

export interface FrameRules {
  readonly cfa: CfaRule;
  readonly registers: ReadonlyMap<number, RegisterRule>;
  readonly returnRegister: number;
  readonly signal: boolean;
}

interface Row {
  cfa: CfaRule;
  registers: Map<number, RegisterRule>;
}

interface Run {
  readonly entry: FrameEntry;
  location: number;
  row: Row;
  initial: Row;
  readonly remembered: Row[];
}

const MAX_REMEMBERED = 1_000;
const copyOf = ({ cfa, registers }: Row): Row => ({ cfa, registers: new Map(registers) });

export function rulesAt(entry: FrameEntry, address: number): FrameRules {
  const row: Row = { cfa: { kind: "register", register: 7, offset: 8 }, registers: new Map() };
  const run: Run = { entry, location: entry.low, row, initial: row, remembered: [] };
  execute(run, entry.common.instructions.at(entry.common.instructions.position), Number.POSITIVE_INFINITY);
  run.initial = copyOf(run.row);
  execute(run, entry.instructions.at(entry.instructions.position), address);
  const { returnRegister, signal } = entry.common;
  return { ...run.row, returnRegister, signal };
}

/** Stops before the first row that begins beyond `address`. */
function execute(run: Run, cursor: Cursor, address: number): void {
  while (!cursor.atEnd) {
    const code = cursor.u8();
    const operand = code & 0x3f;
    const packed = packedInstructions[code >> 6];
    const instruction = packed === undefined ? instructions[code] : undefined;
    if (packed !== undefined) packed(run, cursor, operand);
    else if (instruction !== undefined) instruction(run, cursor);
    else throw cursor.fail();
    if (run.location > address) return;
  }
}

type Instruction = (run: Run, cursor: Cursor) => void;

const advance = (run: Run, delta: number) => {
  run.location += delta * run.entry.common.codeAlign;
};
const setRule = (run: Run, register: number, rule: RegisterRule) => void run.row.registers.set(register, rule);
const dataOffset = (run: Run, count: number) => count * run.entry.common.dataAlign;
const blockOf = (cursor: Cursor) => cursor.view(cursor.uleb());

function restore(run: Run, register: number): void {
  const rule = run.initial.registers.get(register);
  if (rule === undefined) run.row.registers.delete(register);
  else run.row.registers.set(register, rule);
}

/** The three instructions that have an operand in their first byte. */
const packedInstructions: Readonly<Record<number, (run: Run, cursor: Cursor, operand: number) => void>> = {
  1: (run, _, delta) => advance(run, delta),
  2: (run, cursor, register) => setRule(run, register, { kind: "saved", offset: dataOffset(run, cursor.uleb()) }),
  3: (run, _, register) => restore(run, register),
};

const withOffset =
  (kind: "saved" | "offset", read: (cursor: Cursor) => number): Instruction =>
  (run, cursor) =>
    setRule(run, cursor.uleb(), { kind, offset: dataOffset(run, read(cursor)) });
const withExpression =
  (kind: "saved-at" | "computed"): Instruction =>
  (run, cursor) =>
    setRule(run, cursor.uleb(), { kind, expression: blockOf(cursor) });
const plain =
  (kind: "undefined" | "same"): Instruction =>
  (run, cursor) =>
    setRule(run, cursor.uleb(), { kind });
const unsigned = (cursor: Cursor) => cursor.uleb();
const signed = (cursor: Cursor) => cursor.sleb();

const defineCfa =
  (read: (cursor: Cursor) => number, scaled: boolean): Instruction =>
  (run, cursor) => {
    const register = cursor.uleb();
    const offset = read(cursor);
    run.row.cfa = { kind: "register", register, offset: scaled ? dataOffset(run, offset) : offset };
  };
const defineCfaOffset =
  (read: (cursor: Cursor) => number, scaled: boolean): Instruction =>
  (run, cursor) => {
    const offset = read(cursor);
    if (run.row.cfa.kind !== "register") throw cursor.fail();
    run.row.cfa = { ...run.row.cfa, offset: scaled ? dataOffset(run, offset) : offset };
  };

/** DW_CFA_*, by number. */
const instructions: Readonly<Record<number, Instruction>> = {
  0: () => {},
  1: (run, cursor) => {
    run.location = cursor.unsigned(run.entry.common.addressSize);
  },
  2: (run, cursor) => advance(run, cursor.u8()),
  3: (run, cursor) => advance(run, cursor.u16()),
  4: (run, cursor) => advance(run, cursor.u32()),
  5: withOffset("saved", unsigned),
  6: (run, cursor) => restore(run, cursor.uleb()),
  7: plain("undefined"),
  8: plain("same"),
  9: (run, cursor) => setRule(run, cursor.uleb(), { kind: "register", register: cursor.uleb() }),
  10: (run, cursor) => {
    if (run.remembered.push(copyOf(run.row)) > MAX_REMEMBERED) throw cursor.fail();
  },
  11: (run, cursor) => {
    const row = run.remembered.pop();
    if (row === undefined) throw cursor.fail();
    run.row = row;
  },
  12: defineCfa(unsigned, false),
  13: (run, cursor) => {
    const register = cursor.uleb();
    if (run.row.cfa.kind !== "register") throw cursor.fail();
    run.row.cfa = { ...run.row.cfa, register };
  },
  14: defineCfaOffset(unsigned, false),
  15: (run, cursor) => {
    run.row.cfa = { kind: "expression", expression: blockOf(cursor) };
  },
  16: withExpression("saved-at"),
  17: withOffset("saved", signed),
  18: defineCfa(signed, true),
  19: defineCfaOffset(signed, true),
  20: withOffset("offset", unsigned),
  21: withOffset("offset", signed),
  22: withExpression("computed"),
  46: (_, cursor) => void cursor.uleb(), // GNU_args_size: what was pushed for a call, which the CFA's rule knows already
};
