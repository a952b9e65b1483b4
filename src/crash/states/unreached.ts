/**
 * Objects that a crash left allocated and that nothing refers to when recovery is done: in pools of libpmemobj that recovery
 * opened, by what their files hold at its end. Always:
 * - What recovery itself allocated is left out: only objects count that were allocated when it began.
 * - A word that may be a reference is one: the offset of any byte of an object in any pool, or its address where its pool was
 *   mapped last. So nothing is called unreached that is reached, as long as references are whole words.
 * - All that is read here is told as what recovery asked for: the end of a recovery stays a function of the answers.
 */
import { baseName } from "../../base/index.ts";
import { type FileContents, type Machine, textFromPath } from "../../machine/index.ts";
import { blocksOf, isPool, mappedAt, type PoolBlock, rootOf, runOf, wasThere } from "./pool-blocks.ts";
import { PoolWords, ReadHalves } from "./pool-words.ts";

export interface PoolObject {
  readonly file: string;
  /** Of its first byte in the pool, as a PMEMoid has it, and how many bytes it may use. */
  readonly offset: number;
  readonly size: number;
}

type TellWords = (path: string, halves: Int32Array) => void;

/** A pool as recovery left it, and as the crash did. */
export interface PoolState {
  readonly path: string;
  readonly now: PoolWords;
  readonly before: PoolWords;
}

interface Pool extends PoolState {
  /** In the order of their places. */
  readonly blocks: readonly PoolBlock[];
  readonly isReached: Uint8Array;
  /** What an address may be counted from, and an offset: 0. */
  readonly bases: readonly number[];
}

/** Of one recovery: made when what the crash left lies before it, asked when it has ended. */
export class LeakSearch {
  readonly #machine: Machine;
  /** What the crash left of each file, as values, which stay. */
  readonly #before: readonly (readonly [path: string, contents: FileContents])[];
  /** Where each of them was found. */
  readonly #paths: ReadonlyMap<string, string | undefined>;
  readonly #named: Set<string>;

  /** `named`: what it had looked up before, by last names. */
  constructor(machine: Machine, persistent: Iterable<string>, named: Iterable<string> = []) {
    this.#machine = machine;
    this.#named = new Set(named);
    this.#before = [...persistent].flatMap((path) => {
      const contents = machine.poolContents(path);
      return contents === undefined ? [] : [[path, contents] as const];
    });
    this.#paths = new Map(this.#before.map(([pool]) => [pool, machine.poolPath(pool)]));
  }

  /** A file that recovery never looks up is none of its business, and what the file holds nothing that it asked for. */
  looksUp(name: string): void {
    this.#named.add(name);
  }

  /** Undefined where it opened no pool. `tell` gets what was read, in its order. */
  unreached(tell: TellWords): readonly PoolObject[] | undefined {
    this.#machine.writeBack();
    const read = new ReadHalves();
    const pools = this.#before.flatMap(([path, before]) => {
      const now = this.#named.has(baseName(this.#paths.get(path) ?? path))
        ? this.#machine.poolContents(path)
        : undefined;
      return now === undefined ? [] : openedPool(this.#machine, path, before, now, read);
    });
    const unreached = pools.length === 0 ? undefined : unreachedObjects(pools);
    read.tell(tell);
    return unreached;
  }
}

function openedPool(
  machine: Machine,
  path: string,
  before: FileContents,
  now: FileContents,
  read: ReadHalves,
): readonly PoolState[] {
  const words = { now: new PoolWords(machine, path, now, read), before: new PoolWords(machine, path, before, read) };
  const isOpened = isPool(words.now) && isPool(words.before) && runOf(words.now) !== runOf(words.before);
  return isOpened ? [{ path, ...words }] : [];
}

/** Several pools may refer to each other. */
export function unreachedObjects(states: readonly PoolState[]): readonly PoolObject[] {
  const pools = states.map((state): Pool => {
    const blocks = [...blocksOf(state.now)];
    const mapped = [mappedAt(state.now), mappedAt(state.before)];
    return { ...state, blocks, isReached: new Uint8Array(blocks.length), bases: [0, ...new Set(mapped)] };
  });
  reach(pools);
  return pools.flatMap(unreachedIn);
}

/** Marks all that the root objects lead to. */
function reach(pools: readonly Pool[]): void {
  const waiting: (readonly [Pool, PoolBlock])[] = [];
  const visit = (pool: Pool, offset: number): void => {
    const index = blockAt(pool.blocks, offset);
    if (index === undefined || pool.isReached[index]) return;
    pool.isReached[index] = 1;
    waiting.push([pool, pool.blocks[index]!]);
  };
  for (const pool of pools) visit(pool, rootOf(pool.now));
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [{ now }, { offset, size }] = next;
    for (let at = offset; at + 8 <= offset + size; at += 8) {
      const value = now.word(at);
      if (value === 0) continue;
      for (const pool of pools) for (const base of pool.bases) visit(pool, value - base);
    }
  }
}

/** The block that a byte belongs to. */
function blockAt(blocks: readonly PoolBlock[], offset: number): number | undefined {
  let [low, high] = [0, blocks.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (blocks[middle]!.offset <= offset) low = middle + 1;
    else high = middle;
  }
  const found = blocks[low - 1];
  return found !== undefined && offset < found.offset + found.size ? low - 1 : undefined;
}

const unreachedIn = ({ path, now, before, blocks, isReached }: Pool): readonly PoolObject[] =>
  blocks
    .filter((block, index) => !isReached[index] && !block.isInternal && wasThere(block, now, before))
    .map(({ offset, size }) => ({ file: textFromPath(path), offset, size }));
