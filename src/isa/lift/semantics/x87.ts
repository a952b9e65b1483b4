/**
 * x87 instructions: memory operands are loaded and stored here, everything else is done by the helper `x87` on the unit
 * in the CPU block. Always:
 * - All loads, and a probe of what will be stored, come before the helper, which changes the unit's state at once.
 * - Where an unmasked exception suppresses a store, the old bytes are stored again.
 */
import type { Condition, Value } from "../../ir/index.ts";
import type { Instruction, Memory } from "../../x86/index.ts";
import type { Builder, Lift } from "../builder.ts";

interface Arguments {
  readonly first?: Value;
  readonly second?: Value;
  readonly data?: Value;
}

/** Runs the instruction. The value is 1 when its store must not happen. */
function run(b: Builder, { code, address }: Instruction, { first, second, data }: Arguments = {}): Value {
  const none = b.i64(0);
  const where = data ?? b.i64(-1);
  return b.call("x87", b.i32(code), first ?? none, second ?? none, b.i64(address), where);
}

const resultPart = (b: Builder, part: number): Value => b.call("x87_result", b.i32(part));

/** The i of an ST(i) operand; where there are two, the other one is ST(0). */
const registerArgument = (b: Builder, { operands }: Instruction): Value =>
  b.i64(operands.reduce((sum, operand) => sum + (operand.kind === "st" ? operand.index : 0), 0));

const memoryOperand = ({ operands }: Instruction): Memory | undefined =>
  operands.find((operand) => operand.kind === "mem");

// ── Pieces of memory ──────────────────────────────────────────────────────────────────────────────────────────────

const loads = { 2: "i32.load16_u", 4: "i32.load", 8: "i64.load" } as const;
const stores = { 2: "i32.store16", 4: "i32.store", 8: "i64.store" } as const;
interface Piece {
  readonly offset: number;
  readonly size: 2 | 4 | 8;
}

/** Eights, then a four and a two as needed: 10, 14, 28, 94 and 108 bytes. */
function pieces(size: number): readonly Piece[] {
  const all: Piece[] = [];
  for (let offset = 0; offset < size; ) {
    const left = size - offset;
    const piece = left >= 8 ? 8 : left >= 4 ? 4 : 2;
    all.push({ offset, size: piece });
    offset += piece;
  }
  return all;
}

const pieceAddress = (b: Builder, address: Value, { offset }: Piece): Value => b.op("i64.add", address, b.i64(offset));

const loadPiece = (b: Builder, address: Value, piece: Piece): Value => {
  const value = b.load(loads[piece.size], pieceAddress(b, address, piece));
  return piece.size === 8 ? value : b.op("i64.extend_i32_u", value);
};
function storePiece(b: Builder, address: Value, piece: Piece, value: Value): void {
  const narrowed = piece.size === 8 ? value : b.op("i32.wrap_i64", value);
  b.store(stores[piece.size], pieceAddress(b, address, piece), narrowed);
}

/** Which of the result's 64-bit parts a piece is in, and that part moved down to the piece. */
function resultPiece(b: Builder, { offset }: Piece): Value {
  const part = resultPart(b, offset >> 3);
  return offset % 8 === 0 ? part : b.op("i64.shr_u", part, b.i64(8 * (offset % 8)));
}

// ── Shapes of instructions ────────────────────────────────────────────────────────────────────────────────────────

/** Works on the stack alone, or takes a number from memory. */
const operation: Lift = (b, instruction) => {
  const memory = memoryOperand(instruction);
  if (!memory) {
    run(b, instruction, { first: registerArgument(b, instruction) });
    return;
  }
  const data = b.address(memory);
  const [first, second] = pieces(memory.size).map((piece) => loadPiece(b, data, piece));
  run(b, instruction, { data, first: first!, ...(second !== undefined && { second }) });
};

/** Stores a number to memory, or copies ST(0) to a register. */
const store: Lift = (b, instruction) => {
  const memory = memoryOperand(instruction);
  if (!memory) return operation(b, instruction);
  const data = b.address(memory);
  b.probe(data, memory.size);
  const old = pieces(memory.size).map((piece) => loadPiece(b, data, piece));
  const isSuppressed = run(b, instruction, { data });
  const values = pieces(memory.size).map((piece, i) => b.select(isSuppressed, old[i]!, resultPiece(b, piece)));
  for (const [i, piece] of pieces(memory.size).entries()) storePiece(b, data, piece, values[i]!);
};

/** FNSTCW and FNSTSW cannot be suppressed. */
const storeWord: Lift = (b, instruction) => {
  const [destination] = instruction.operands;
  if (destination?.kind === "mem") b.probe(b.address(destination), 2);
  run(b, instruction);
  b.write(destination!, b.narrow(16, b.op("i32.wrap_i64", resultPart(b, 0))));
};

/** The bytes first, then what storing them does to the unit, so that the instruction can begin anew after any store. */
const storeImage: Lift = (b, instruction) => {
  const memory = memoryOperand(instruction)!;
  const data = b.address(memory);
  b.probe(data, memory.size);
  b.call("x87_peek", b.i32(instruction.code));
  const all = pieces(memory.size).map((piece) => ({ piece, value: resultPiece(b, piece) }));
  for (const { piece, value } of all) storePiece(b, data, piece, value);
  run(b, instruction);
};

const loadImage: Lift = (b, instruction) => {
  const memory = memoryOperand(instruction)!;
  const data = b.address(memory);
  const all = pieces(memory.size).map((piece) => ({ piece, value: loadPiece(b, data, piece) }));
  for (const { piece, value } of all) {
    const shift = 8 * (piece.offset % 8);
    const placed = shift === 0 ? value : b.op("i64.shl", value, b.i64(shift));
    b.call("x87_stage", b.i32(piece.offset >> 3), placed);
  }
  run(b, instruction);
};

/** ZF PF CF from the comparison; OF SF AF are cleared. */
const compareIntoFlags: Lift = (b, instruction) => {
  run(b, instruction, { first: registerArgument(b, instruction) });
  b.setRawFlags(b.op("i32.wrap_i64", resultPart(b, 0)));
};

const moveIf =
  (condition: Condition): Lift =>
  (b, instruction) => {
    const holds = b.op("i64.extend_i32_u", b.condition(condition));
    run(b, instruction, { first: registerArgument(b, instruction), second: holds });
  };

const operations = [
  "fld", "fild", "fbld", "fld1", "fldz", "fldl2t", "fldl2e", "fldpi", "fldlg2", "fldln2",
  "fxch", "fincstp", "fdecstp", "ffree", "ffreep", "fnop", "fstpnce",
  "fadd", "faddp", "fiadd", "fmul", "fmulp", "fimul", "fsub", "fsubp", "fisub", "fsubr", "fsubrp", "fisubr",
  "fdiv", "fdivp", "fidiv", "fdivr", "fdivrp", "fidivr",
  "fchs", "fabs", "fsqrt", "frndint", "fscale", "fprem", "fprem1", "fxtract",
  "fcom", "fcomp", "ficom", "ficomp", "fucom", "fucomp", "fcompp", "fucompp", "ftst", "fxam",
  "fsin", "fcos", "fsincos", "fptan", "fpatan", "f2xm1", "fyl2x", "fyl2xp1",
  "wait", "fninit", "finit", "fnclex", "fclex", "fldcw",
  "fneni", "feni", "fndisi", "fdisi", "fnsetpm", "fsetpm",
] as const; // biome-ignore format: groups

/** Control instructions that do not wait for earlier exceptions to be reported; all others do. */
const hasty = new Set(["fninit", "fnclex", "fnstcw", "fnstsw", "fnstenv", "fnsave", "fneni", "fndisi", "fnsetpm"]);

/** What waits from earlier is reported before anything else is looked at. */
const waiting =
  (lift: Lift): Lift =>
  (b, instruction) => {
    b.trapIf(b.op("x86.x87_pending"), "float");
    lift(b, instruction);
  };

const every = (names: readonly string[], lift: Lift): Readonly<Record<string, Lift>> =>
  Object.fromEntries(names.map((name) => [name, hasty.has(name) ? lift : waiting(lift)]));

export const x87Semantics: Readonly<Record<string, Lift>> = {
  ...every(operations, operation),
  ...every(["fst", "fstp", "fist", "fistp", "fisttp", "fbstp"], store),
  ...every(["fnstcw", "fstcw", "fnstsw", "fstsw"], storeWord),
  ...every(["fnstenv", "fstenv", "fnsave", "fsave"], storeImage),
  ...every(["fldenv", "frstor"], loadImage),
  ...every(["fcomi", "fcomip", "fucomi", "fucomip"], compareIntoFlags),
  fcmovb: waiting(moveIf("b")),
  fcmove: waiting(moveIf("e")),
  fcmovbe: waiting(moveIf("be")),
  fcmovu: waiting(moveIf("p")),
  fcmovnb: waiting(moveIf("ae")),
  fcmovne: waiting(moveIf("ne")),
  fcmovnbe: waiting(moveIf("a")),
  fcmovnu: waiting(moveIf("np")),
};
