/**
 * Jumps by a table: `switch` as GCC and Clang write it, for position-independent code (offsets of four bytes from the
 * table's own address) and for the rest (addresses of eight bytes). The table ends where an entry leads out of the function.
 */
import type { Block, Op, Register, Value } from "../ir/index.ts";
import { type Code, type CodeRange, liesIn } from "./code.ts";

const MAX_ENTRIES = 4096;

interface Table {
  readonly address: number;
  readonly entryBytes: 4 | 8;
}

/** The targets of a block that ends with a jump; undefined when no table can be made out. */
export function tableTargets(
  code: Code,
  block: Block,
  others: readonly Block[],
  ranges: readonly CodeRange[],
): readonly number[] | undefined {
  const table = block.exit.kind === "jump" ? findTable(block, block.exit.target, others) : undefined;
  if (table === undefined) return undefined;
  const targets = new Set<number>();
  for (let index = 0; index < MAX_ENTRIES; index++) {
    const bytes = code.bytes(table.address + index * table.entryBytes, table.entryBytes);
    if (bytes.length < table.entryBytes) break;
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    const target = table.entryBytes === 4 ? table.address + view.getInt32(0, true) : Number(view.getBigUint64(0, true));
    if (!liesIn(ranges, target)) break;
    targets.add(target);
  }
  return targets.size === 0 ? undefined : [...targets];
}

type Load = Op & { readonly kind: "load" };

function findTable({ ops }: Block, target: Value, others: readonly Block[]): Table | undefined {
  const op = (value: Value) => ops[value] as Op;
  const load = loadBelow(ops, target);
  if (load === undefined) return undefined;
  const entryBytes = load.access === "i64.load" ? 8 : 4;
  if (entryBytes === 4 && load.access !== "i32.load") return undefined;
  const sum = op(load.address);
  const terms = sum.kind === "pure" && sum.op === "i64.add" ? sum.args : [load.address];
  for (const term of terms) {
    const one = op(term);
    if (one.kind === "const") return { address: Number(BigInt.asUintN(64, one.value)), entryBytes };
    const address = one.kind === "get" ? constantIn(one.register, others) : undefined;
    if (address !== undefined) return { address, entryBytes };
  }
  return undefined;
}

/** The load behind a target: the target itself, or sign-extended and added to the table's address. */
function loadBelow(ops: readonly Op[], value: Value, depth = 0): Load | undefined {
  const op = ops[value];
  if (op?.kind === "load") return op;
  if (op?.kind !== "pure" || depth > 3) return undefined;
  if (op.op !== "i64.add" && op.op !== "i64.extend_i32_s") return undefined;
  for (const arg of op.args) {
    const found = loadBelow(ops, arg, depth + 1);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The one constant that a register is ever given in the blocks seen so far. */
function constantIn(register: Register, blocks: readonly Block[]): number | undefined {
  const constants = new Set<number>();
  for (const { ops } of blocks)
    for (const op of ops) {
      if (op.kind !== "put" || op.register !== register) continue;
      const value = ops[op.value];
      if (value?.kind === "const" && value.value > 0xffn) constants.add(Number(value.value));
    }
  return constants.size === 1 ? [...constants][0] : undefined;
}
