/**
 * The verifier: what every lifted block must be, whoever lifted it. Interpreter, compiler and evaluator rely on it and do
 * not test it again. Run on every block that tests and `make guests` lift (base/verifying.ts), never for users. It checks:
 *
 * Values
 *   1. A value is the index of an earlier op that makes one: defined before it is used, once.
 *   2. Every argument has the type that the op asks for (`opParams`), and there are as many as it asks for.
 *   3. A constant fits its type: i32 and i64 signed, v128 unsigned. There are no constants of f32 and f64.
 *   4. A lane is named exactly where the instruction takes one, and exists. A shuffle names sixteen lanes of 0 to 31.
 *   5. Registers are those of `registers`. rip is the exit's business, and MXCSR lives in memory only (isa/ir/helpers.ts).
 *   6. A register is got at most once, and not after it was put: the block knows its value.
 * Instructions
 *   7. The first op begins the first instruction. Instructions lie one behind the other from `start` to `end`, are 1 to 15
 *      bytes long, and as many as the block says, at least one.
 *   8. A block has fewer ops than the bytecode's tables hold, and its temporaries fit their area.
 * Faults (verify-order.ts)
 *   9. Within an instruction, what can fault or trap comes before the first change of a register, of flags or of the x87
 *      unit, and before the first store. A store may follow a store or the x87 unit if a probe came before them. An SSE
 *      exception finds MMX state entered, as on the processor (SDM vol. 2: CVTPS2PI).
 *      A store with a condition needs one as well, for it faults in either case.
 *  10. A division by anything but a constant comes after a trap for its #DE in the same instruction, since WebAssembly
 *      would trap for good; by 0 and -1 nothing is divided.
 *  11. `x86.float_trap` is asked for a trap's sake alone; the compiler drops both where neither can happen.
 * Accesses
 *  12. Only sixteen bytes are tested for alignment; only four bytes and more are stored non-temporally. Thirty-two bytes are
 *      two vectors, stored without a condition.
 *  13. A probe covers 1 to 4096 bytes.
 * Patches
 *  14. A patch comes last in its instruction, before what tells of calls. A flush has an address and at least a byte.
 * Exits (verify-exit.ts)
 *  15. An exit's value is an i32 for a branch and an i64 for a target. A call has a known target or a value, not both.
 *  16. Addresses that name the last instruction or the one behind it do: `otherwise`, `returnTo`, `next`, `address`.
 *  17. Calls and returns are told (`frames`) at the block's end or not at all.
 */
import { Bug } from "../../base/index.ts";
import { type NumericName, numeric } from "../wasm/index.ts";
import type { Block, Op } from "./block.ts";
import { macros } from "./macros.ts";
import { printBlock } from "./print.ts";
import { control, type Register, registers } from "./registers.ts";
import { opArgs, opParams, opType } from "./types.ts";
import { exitProblems } from "./verify-exit.ts";
import { orderProblems } from "./verify-order.ts";

const maxOps = 0x4000;
/** Bytes of the area that machine/runtime/layout.ts reserves for a block's temporaries. */
const temporaryBytes = 0xf000;
const maxInstructionBytes = 15;
const maxProbeBytes = 4096;

/** Throws if the block is not what the header says: the lifter is wrong, or what changed the block. */
export function verifyBlock(block: Block): void {
  const [first] = blockProblems(block);
  if (first !== undefined) throw new Bug(`ir: ${first}\n${printBlock(block)}`);
}

/** Everything that is wrong with a block, a sentence each. */
export const blockProblems = (block: Block): readonly string[] => {
  const values = valueProblems(block);
  // Values that do not exist would mislead all that looks at them.
  if (values.length > 0) return values;
  return [...instructionProblems(block), ...orderProblems(block), ...exitProblems(block)];
};

const describe = (op: Op, index: number): string => `op ${index} (${op.kind})`;

function* opProblems(ops: readonly Op[], op: Op, index: number): Generator<string> {
  const params = opParams(op);
  const args = opArgs(op);
  if (args.length !== params.length) yield `has ${args.length} arguments, not ${params.length}`;
  for (const [i, value] of args.entries()) {
    const used = Number.isInteger(value) && value >= 0 && value < index ? ops[value] : undefined;
    const type = used && opType(used);
    if (type === undefined) yield `uses ${value}, which is no value made before it`;
    else if (type !== params[i]) yield `uses an ${type} where it needs an ${params[i]}`;
  }
  const problem = shapeProblem(op);
  if (problem !== undefined) yield problem;
}

/** What is wrong with an op whatever its arguments are. */
function shapeProblem(op: Op): string | undefined {
  switch (op.kind) {
    case "const":
      return constantProblem(op);
    case "pure":
      return laneProblem(op);
    case "shuffle":
      return op.lanes.length === 16 && op.lanes.every((lane) => isWithin(lane, 0, 31))
        ? undefined
        : "names wrong lanes";
    case "get":
    case "put":
      return isNamed(op.register) ? undefined : `names ${op.register.name}`;
    case "load":
      return op.aligned && op.access !== "v128.load" ? "tests the alignment of a narrow access" : undefined;
    case "store":
      return storeProblem(op);
    case "patch":
      return op.size > 0 === (op.address !== undefined) ? undefined : `covers ${op.size} bytes`;
    case "probe":
      return isWithin(op.size, 1, maxProbeBytes) ? undefined : `probes ${op.size} bytes`;
    default:
      return undefined;
  }
}

const isWithin = (value: number, low: number, high: number): boolean =>
  Number.isInteger(value) && low <= value && value <= high;

const named: ReadonlySet<Register> = new Set(registers);
const isNamed = (register: Register): boolean =>
  named.has(register) && register !== control.rip && register !== control.mxcsr;

const cut = {
  i32: (value: bigint) => BigInt.asIntN(32, value),
  i64: (value: bigint) => BigInt.asIntN(64, value),
  v128: (value: bigint) => BigInt.asUintN(128, value),
} as const;

function constantProblem({ type, value }: Op & { kind: "const" }): string | undefined {
  if (type === "f32" || type === "f64") return `is a constant of type ${type}`;
  return cut[type](value) === value ? undefined : `does not fit an ${type}`;
}

const laneCount = (name: NumericName): number => Number(/x(\d+)\./.exec(name)![1]);

function laneProblem({ op: name, lane }: Op & { kind: "pure" }): string | undefined {
  const takesLane = !(name in macros) && numeric[name as NumericName].lane;
  if (!takesLane) return lane === undefined ? undefined : `${name} takes no lane`;
  const isThere = lane !== undefined && isWithin(lane, 0, laneCount(name as NumericName) - 1);
  return isThere ? undefined : `${name} has no lane ${lane}`;
}

const nonTemporalKinds: ReadonlySet<string> = new Set(["i32.store", "i64.store", "v128.store", "v256.store"]);

function storeProblem({ access, upper, when, aligned, nonTemporal }: Op & { kind: "store" }): string | undefined {
  if ((access === "v256.store") !== (upper !== undefined)) return `${access} has the wrong number of vectors`;
  if (upper !== undefined && when !== undefined) return `${access} has a condition`;
  if (aligned && access !== "v128.store") return "tests the alignment of a narrow access";
  return nonTemporal && !nonTemporalKinds.has(access) ? `${access} cannot be non-temporal` : undefined;
}

function valueProblems({ ops }: Block): readonly string[] {
  const problems: string[] = [];
  const known = new Set<Register>();
  for (const [index, op] of ops.entries()) {
    for (const problem of opProblems(ops, op, index)) problems.push(`${describe(op, index)} ${problem}`);
    if (op.kind === "get" && known.has(op.register))
      problems.push(`${describe(op, index)} asks for ${op.register.name}, whose value the block has`);
    if (op.kind === "get" || op.kind === "put") known.add(op.register);
  }
  return problems;
}

function instructionProblems({ start, end, instructions, ops }: Block): readonly string[] {
  const problems: string[] = [];
  if (ops[0]?.kind !== "inst") problems.push("the first op begins no instruction");
  let next = start;
  let count = 0;
  let temporaries = 0;
  for (const [index, op] of ops.entries()) {
    const type = opType(op);
    if (type !== undefined && op.kind !== "const") temporaries += type === "v128" ? 16 : 8;
    if (op.kind !== "inst") continue;
    if (op.address !== next) problems.push(`${describe(op, index)} leaves a gap`);
    if (!isWithin(op.length, 1, maxInstructionBytes)) problems.push(`${describe(op, index)} has ${op.length} bytes`);
    next = op.address + op.length;
    count++;
  }
  if (next !== end) problems.push(`ends at 0x${end.toString(16)}, its instructions at 0x${next.toString(16)}`);
  if (count !== instructions || count === 0) problems.push(`has ${count} instructions and says ${instructions}`);
  if (ops.length >= maxOps) problems.push(`has ${ops.length} ops`);
  if (temporaries > temporaryBytes) problems.push(`needs ${temporaries} bytes of temporaries`);
  return problems;
}
