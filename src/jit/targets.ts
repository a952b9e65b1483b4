/**
 * Guesses at where an indirect jump or call goes: the targets seen so far, or what its pointer (a PLT entry, a function
 * pointer at a fixed place) or its jump table holds now. Every guess is compared with the real target when it runs.
 */
import type { Block, Op, Value } from "../ir/index.ts";
import type { CodeSource } from "./region.ts";

const maxTableEntries = 256;
/**
 * A jump that went to more places is the heart of an interpreter: what follows it would be all of it, once for each of
 * its instructions. If it goes by a table, it is a hub; if not, every target is a region of its own.
 */
const maxSeen = 3;
/** A jump table's targets lie in the same function. */
const maxDistance = 0x1_0000;

/** Where the jump or call goes, as far as that can be said: nowhere in particular if it went to many places. */
export function likelyTargets(block: Block, target: Value, source: CodeSource): readonly number[] {
  const seen = source.targetsOf?.(block.start) ?? [];
  if (seen.length > maxSeen) return [];
  const likely = [...new Set([...seen, ...guesses(block, target, source)])];
  return likely.length > maxSeen ? [] : likely;
}

/**
 * Where a hub leads, the most frequent first: a jump by a table that went to many places, as an interpreter's loop has
 * at its start. Such a loop is one region, which starts at the hub. Empty: the block does not end in a hub.
 */
export function hubTargets(block: Block, source: CodeSource): readonly number[] {
  if (block.exit.kind !== "jump") return [];
  const targets = guesses(block, block.exit.target, source);
  return targets.length > maxSeen ? targets : [];
}

function guesses(block: Block, target: Value, source: CodeSource): readonly number[] {
  const { peek } = source;
  if (!peek) return [];
  const load = block.ops[target]!;
  if (load.kind !== "load" || load.access !== "i64.load") return relativeTable(block, load, source);
  const pointer = constant(block, load.address);
  if (pointer === undefined) return fromTable(block, tableBase(block, load.address, 3n), 8, 0n, source);
  const word = peek(Number(pointer));
  return word !== undefined && word < 1n << 32n ? [Number(word)] : [];
}

/** base + sign-extended 32-bit entry of the table at the same base, as position-independent code has it. */
function relativeTable(block: Block, sum: Op, source: CodeSource): readonly number[] {
  if (sum.kind !== "pure" || sum.op !== "i64.add") return [];
  for (const [entry, other] of [sum.args, sum.args.toReversed()] as [Value, Value][]) {
    const base = constant(block, other);
    const extended = block.ops[entry]!;
    if (base === undefined || extended.kind !== "pure" || extended.op !== "i64.extend_i32_s") continue;
    const load = block.ops[extended.args[0]!]!;
    if (load.kind === "load" && load.access === "i32.load")
      return fromTable(block, tableBase(block, load.address, 2n), 4, base, source);
  }
  return [];
}

const constant = (block: Block, value: Value): bigint | undefined => {
  const op = block.ops[value]!;
  return op.kind === "const" ? op.value : undefined;
};

/** The constant in `constant + (index << shift)`. */
function tableBase(block: Block, address: Value, shift: bigint): bigint | undefined {
  const sum = block.ops[address]!;
  if (sum.kind !== "pure" || sum.op !== "i64.add") return undefined;
  for (const [base, scaled] of [sum.args, sum.args.toReversed()] as [Value, Value][]) {
    const index = block.ops[scaled]!;
    const isScaled = index.kind === "pure" && index.op === "i64.shl" && constant(block, index.args[1]!) === shift;
    if (isScaled) return constant(block, base);
  }
  return undefined;
}

/** Entries that lead to code that has run, the most frequent first. */
function fromTable(
  block: Block,
  table: bigint | undefined,
  size: 4 | 8,
  base: bigint,
  source: CodeSource,
): readonly number[] {
  if (table === undefined) return [];
  const found = new Set<number>();
  for (let entry = 0; entry < maxTableEntries; entry++) {
    const word = source.peek!(Number(table) + entry * size);
    if (word === undefined) break;
    const target = Number(size === 8 ? word : base + BigInt.asIntN(32, word));
    if (Math.abs(target - block.start) < maxDistance && source.blockAt(target)) found.add(target);
  }
  const ordered = [...found].sort((a, b) => source.executions(b) - source.executions(a) || a - b);
  return ordered;
}
