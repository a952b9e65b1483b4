/**
 * Binary relations over the events of one execution, a row of bits per event. Sizes are small (tens of events), so
 * everything is a few machine words. Always: both operands of an operation have the same size.
 */
export interface Relation {
  readonly size: number;
  readonly words: number;
  readonly rows: Int32Array;
}

export function emptyRelation(size: number): Relation {
  const words = (size + 31) >> 5;
  return { size, words, rows: new Int32Array(size * words) };
}

export const copyRelation = (relation: Relation): Relation => ({ ...relation, rows: relation.rows.slice() });

export function addPair(relation: Relation, from: number, to: number): void {
  const word = from * relation.words + (to >> 5);
  relation.rows[word] = (relation.rows[word] as number) | (1 << (to & 31));
}

export function hasPair(relation: Relation, from: number, to: number): boolean {
  return ((relation.rows[from * relation.words + (to >> 5)] as number) & (1 << (to & 31))) !== 0;
}

export function addAll(target: Relation, source: Relation): void {
  for (let word = 0; word < source.rows.length; word++)
    target.rows[word] = (target.rows[word] as number) | (source.rows[word] as number);
}

export function pairsOf(relation: Relation): [from: number, to: number][] {
  const pairs: [number, number][] = [];
  for (let from = 0; from < relation.size; from++)
    for (let to = 0; to < relation.size; to++) if (hasPair(relation, from, to)) pairs.push([from, to]);
  return pairs;
}

/** The relation's transitive closure (Warshall). */
export function closureOf(relation: Relation): Relation {
  const closed = copyRelation(relation);
  const { size, words, rows } = closed;
  for (let middle = 0; middle < size; middle++)
    for (let from = 0; from < size; from++) {
      if (from === middle || !hasPair(closed, from, middle)) continue;
      for (let word = 0; word < words; word++)
        rows[from * words + word] = (rows[from * words + word] as number) | (rows[middle * words + word] as number);
    }
  return closed;
}

/** Removes events nobody points at until none is left (acyclic) or every one left has a predecessor (cyclic). */
export function isAcyclic(relation: Relation): boolean {
  const { size, words, rows } = relation;
  const left = new Int32Array(words);
  for (let event = 0; event < size; event++) left[event >> 5] = (left[event >> 5] as number) | (1 << (event & 31));
  for (let remaining = size, removed = 1; remaining > 0; remaining -= removed) {
    const pointed = new Int32Array(words);
    for (let from = 0; from < size; from++) {
      if (((left[from >> 5] as number) & (1 << (from & 31))) === 0) continue;
      for (let word = 0; word < words; word++)
        pointed[word] = (pointed[word] as number) | (rows[from * words + word] as number);
    }
    removed = 0;
    for (let event = 0; event < size; event++) {
      const bit = 1 << (event & 31);
      const word = event >> 5;
      if (((left[word] as number) & bit) === 0 || ((pointed[word] as number) & bit) !== 0) continue;
      left[word] = (left[word] as number) & ~bit;
      removed++;
    }
    if (removed === 0) return false;
  }
  return true;
}

/** A shortest cycle as a list of events, the first following the last; undefined when there is none. */
export function shortestCycle(relation: Relation): number[] | undefined {
  let best: number[] | undefined;
  for (let start = 0; start < relation.size; start++) {
    const path = shortestPath(relation, start, start);
    if (path !== undefined && (best === undefined || path.length < best.length)) best = path;
  }
  return best;
}

/** Breadth first; the path leaves out its end, so a cycle lists each of its events once. */
function shortestPath(relation: Relation, start: number, end: number): number[] | undefined {
  const cameFrom = new Map<number, number>();
  const queue = [start];
  for (const event of queue) {
    for (let next = 0; next < relation.size; next++) {
      if (!hasPair(relation, event, next)) continue;
      if (next === end) {
        const path = [event];
        for (let at = event; at !== start; ) {
          at = cameFrom.get(at) as number;
          path.unshift(at);
        }
        return path;
      }
      if (cameFrom.has(next)) continue;
      cameFrom.set(next, event);
      queue.push(next);
    }
  }
  return undefined;
}
