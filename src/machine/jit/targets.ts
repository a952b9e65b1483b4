/**
 * Guesses at where an indirect jump or call goes: the targets seen so far, or what its pointer (a PLT entry, a function
 * pointer at a fixed place) or its jump table holds now. Every guess is compared with the real target when it runs.
 */
import type { Block, Op, Value } from "../../isa/ir/index.ts";
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

/** Where a block's jump went, and where its table leads, as far as code has run there; not a jump into another function. */
export function placesOf(block: Block, source: CodeSource): readonly number[] {
  const seen = source.targetsOf?.(block.start) ?? [];
  const table = jumpTable(block, source);
  return [...new Set([...seen, ...(table && source.peek ? fromTable(block, table, source) : [])])];
}

/**
 * Where a hub leads, the most frequent first: a jump by a table that went to many places, as an interpreter's loop has
 * at its start. Such a loop is one region, which starts at the hub. Empty: the block does not end in a hub.
 */
export const hubTargets = (block: Block, source: CodeSource): readonly number[] => manyTargets(block, source, "hub");

/** Where a jump by a table to many places leads that is no hub: nothing behind it comes back to it. */
export const switchTargets = (block: Block, source: CodeSource): readonly number[] =>
  manyTargets(block, source, "switch");

function manyTargets(block: Block, source: CodeSource, kind: TableUse): readonly number[] {
  const table = jumpTable(block);
  const targets = table && source.peek ? fromTable(block, table, source) : [];
  return targets.length > maxSeen && useOf(table!, block, targets, source) === kind ? targets : [];
}

/** Of blocks behind a jump, the nearest first; enough to tell, and few enough to look at each time. */
const maxLookedAt = 400;
/** Compilers copy a loop's jump to the ends of some cases; code that jumps by the table everywhere has it in most. */
const maxCopies = 4;

/**
 * What a table is for. "threaded": the code that it leads to goes on by the same table itself, as interpreters with computed
 * gotos do, so that there is no place that all of it comes by, and a region for each would hold the whole interpreter.
 * "hub": some of it comes back to the jump, or there is too much to tell.
 */
type TableUse = "threaded" | "hub" | "switch";

function useOf({ address }: JumpTable, jump: Block, targets: readonly number[], source: CodeSource): TableUse {
  const found = new Set(targets);
  let [left, jumps] = [maxLookedAt, 0];
  for (const at of found) {
    if (left-- === 0) return "hub";
    const block = source.blockAt(at);
    if (!block) continue;
    if (jumpTable(block)?.address === address && ++jumps > maxCopies) return "threaded";
    for (const next of waysWithin(block.exit)) found.add(next);
  }
  return jumps > 0 || found.has(jump.start) ? "hub" : "switch";
}

/** Where a block goes on in its own function, as far as its exit says. */
export function waysWithin(exit: Block["exit"]): readonly number[] {
  switch (exit.kind) {
    case "goto":
      return [exit.target];
    case "branch":
      return [exit.target, exit.otherwise];
    case "call":
      return [exit.returnTo];
    default:
      return [];
  }
}

function guesses(block: Block, target: Value, source: CodeSource): readonly number[] {
  const { peek } = source;
  if (!peek) return [];
  const load = block.ops[target]!;
  const pointer = load.kind === "load" && load.access === "i64.load" ? constant(block, load.address) : undefined;
  if (pointer === undefined) {
    const table = tableOf(block, load);
    return table ? fromTable(block, table, source) : [];
  }
  const word = peek(Number(pointer));
  return word !== undefined && word < 1n << 32n ? [Number(word)] : [];
}

interface JumpTable {
  readonly address: bigint;
  readonly entryBytes: 4 | 8;
  /** Added to each entry. */
  readonly base: bigint;
}

/** The table that a block's last jump goes by; with a source, also one whose address is in a register now. */
const jumpTable = (block: Block, source?: CodeSource): JumpTable | undefined =>
  block.exit.kind === "jump" ? tableOf(block, block.ops[block.exit.target]!, source) : undefined;

function tableOf(block: Block, target: Op, source?: CodeSource): JumpTable | undefined {
  if (target.kind !== "load" || target.access !== "i64.load") return relativeTable(block, target, source);
  const address = tableBase(block, target.address, 3n, source);
  return address === undefined ? undefined : { address, entryBytes: 8, base: 0n };
}

/** base + sign-extended 32-bit entry of the table at the same base, as position-independent code has it. */
function relativeTable(block: Block, sum: Op, source?: CodeSource): JumpTable | undefined {
  if (sum.kind !== "pure" || sum.op !== "i64.add") return undefined;
  for (const [entry, other] of [sum.args, sum.args.toReversed()] as [Value, Value][]) {
    const base = constant(block, other, source);
    const extended = block.ops[entry]!;
    if (base === undefined || extended.kind !== "pure" || extended.op !== "i64.extend_i32_s") continue;
    const load = block.ops[extended.args[0]!]!;
    if (load.kind !== "load" || load.access !== "i32.load") continue;
    const address = tableBase(block, load.address, 2n, source);
    return address === undefined ? undefined : { address, entryBytes: 4, base };
  }
  return undefined;
}

const constant = (block: Block, value: Value, source?: CodeSource): bigint | undefined => {
  const op = block.ops[value]!;
  if (op.kind === "get") return source?.registerNow?.(op.register);
  return op.kind === "const" ? op.value : undefined;
};

/** The constant in `constant + (index << shift)`. */
function tableBase(block: Block, address: Value, shift: bigint, source?: CodeSource): bigint | undefined {
  const sum = block.ops[address]!;
  if (sum.kind !== "pure" || sum.op !== "i64.add") return undefined;
  for (const [base, scaled] of [sum.args, sum.args.toReversed()] as [Value, Value][]) {
    const index = block.ops[scaled]!;
    const isScaled = index.kind === "pure" && index.op === "i64.shl" && constant(block, index.args[1]!) === shift;
    if (isScaled) return constant(block, base, source);
  }
  return undefined;
}

/** Entries that lead to code that has run, the most frequent first. */
function fromTable(block: Block, { address, entryBytes, base }: JumpTable, source: CodeSource): readonly number[] {
  const found = new Set<number>();
  for (let entry = 0; entry < maxTableEntries; entry++) {
    const word = source.peek!(Number(address) + entry * entryBytes);
    if (word === undefined) break;
    const target = Number(entryBytes === 8 ? word : base + BigInt.asIntN(32, word));
    if (Math.abs(target - block.start) < maxDistance && source.blockAt(target)) found.add(target);
  }
  const ordered = [...found].sort((a, b) => source.executions(b) - source.executions(a) || a - b);
  return ordered;
}
