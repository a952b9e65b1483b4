/**
 * Robustness by its definition (PSan, definitions 1 and 2), word for word and by trying all prefixes: the slow twin of clocks
 * and intervals. It shares nothing with them; happens-before is closure under program order and reads-from.
 */
import type { Execution, LoadOp, Op, StoreOp } from "./executions.ts";

/** Of one execution: how many operations of each thread. */
type Prefix = ReadonlySet<Op>;

export function isRobust(executions: readonly Execution[]): boolean {
  const needed = new Set<Op>();
  for (const { issued } of executions)
    for (const op of issued)
      if (op.kind === "load")
        for (const store of op.reads) if (store !== undefined && store.execution < op.execution) needed.add(store);
  const prefixes = executions.map((execution) =>
    prefixesOf(execution).filter((prefix) => execution.issued.every((op) => !needed.has(op) || prefix.has(op))),
  );
  return executions.every((_, last) => last === 0 || hasStrictTwin(executions, prefixes, last, []));
}

/** Whether prefixes of the executions before can be chosen such that they and the whole of `last` are strictly persistent. */
function hasStrictTwin(
  executions: readonly Execution[],
  prefixes: readonly (readonly Prefix[])[],
  last: number,
  chosen: readonly Prefix[],
): boolean {
  const at = chosen.length;
  const candidates = at === last ? [new Set(executions[at]!.issued)] : prefixes[at]!;
  return candidates.some((prefix) => {
    const together = [...chosen, prefix];
    if (!readsAreStrict(executions, together)) return false;
    return at === last || hasStrictTwin(executions, prefixes, last, together);
  });
}

/** Every load of the newest prefix finds its stores, and after each crash all that was stored before it. */
function readsAreStrict(executions: readonly Execution[], prefixes: readonly Prefix[]): boolean {
  const newest = prefixes.length - 1;
  for (const op of prefixes[newest]!) {
    if (op.kind !== "load") continue;
    for (const [index, store] of op.reads.entries()) {
      if (store !== undefined && !prefixes[store.execution]!.has(store)) return false;
      if (store?.execution === newest) continue;
      if (durable(executions, prefixes.slice(0, newest), op.address + index) !== store) return false;
    }
  }
  return true;
}

function durable(executions: readonly Execution[], prefixes: readonly Prefix[], byte: number): StoreOp | undefined {
  for (let at = prefixes.length - 1; at >= 0; at--) {
    const stores = executions[at]!.visible.filter((store) => prefixes[at]!.has(store));
    const found = stores.findLast(({ address, size }) => address <= byte && byte < address + size);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Every set of operations that is closed under program order and reads-from. */
function prefixesOf({ threads, issued }: Execution): readonly Prefix[] {
  let sets: Op[][] = [[]];
  for (let thread = 0; thread < threads; thread++) {
    const own = issued.filter((op) => op.thread === thread);
    sets = sets.flatMap((set) =>
      Array.from({ length: own.length + 1 }, (_, count) => [...set, ...own.slice(0, count)]),
    );
  }
  return sets.map((set) => new Set(set)).filter(isClosed);
}

function isClosed(set: Prefix): boolean {
  const fromInside = (load: LoadOp) =>
    load.reads.every((store) => store === undefined || store.execution !== load.execution || set.has(store));
  return [...set].every((op) => op.kind === "store" || fromInside(op));
}
