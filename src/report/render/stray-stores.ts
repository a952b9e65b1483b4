/**
 * Stores whose line is that of a value they store: where a compiler makes one instruction of a function's last operation and of the store
 * of what it returns, the instruction has the operation's line, in a function that stores nothing. The column tells: it
 * names an operator in what is returned, or what stands behind one. Such a store is told where
 * the stores beside it are, made in a row by the same function; else where the function's caller was when the power was cut, soon after; else where it
 * called.
 */
import type { CrashFacts, OrderFacts, PlacedMark, StoreFact, StorePair } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { nameOfStore } from "./changed-text.ts";
import { type ReadSource, withInlinedEnd } from "./inlined-ends.ts";

/** Between two operands: computes, and is no assignment, arrow or increment. Left out: * and &, which may be a pointer's. */
const operator = String.raw`(?:[%^]|\+(?!\+)|-(?![->])|\/(?!\/)|\|(?!\|)|<<|>>)(?!=)`;
/** So far a value that is given back, and nothing assigned in it. */
const returned = /\breturn\b(?:[^;]*,)?[^;,=]*$/;
const isOperand = /[\w)\]]\s*$/;
const isOperator = new RegExp(`^${operator}`);
const isBehindOperator = new RegExp(`[\\w)\\]]\\s*${operator}\\s*$`);

function namesOperation({ file, line, column }: Frame, readSource: ReadSource): boolean {
  if (file === undefined || !line || !column) return false;
  const text = readSource(file)?.split("\n")[line - 1];
  if (text === undefined) return false;
  const [before, here] = [text.slice(0, column - 1), text.slice(column - 1)];
  const isOperation = (isOperand.test(before) && isOperator.test(here)) || isBehindOperator.test(before);
  return returned.test(before) && isOperation;
}

const isStray = ({ frames: [frame] }: PlacedMark, readSource: ReadSource): boolean =>
  frame?.inlined === true && namesOperation(frame, readSource);

/** The function that the machine ran, with its callers: what was inlined into it is told apart by lines only. */
function madeBy({ mark, frames }: PlacedMark): string {
  const outermost = frames.slice(frames.findIndex(({ inlined }) => !inlined));
  const [own, ...callers] = outermost;
  return [mark.thread, own?.function, own?.module, ...callers.map(({ address }) => address)].join("\n");
}

const touches = (one: StoreFact, two: StoreFact): boolean => {
  const [from, to] = [one, two].sort((a, b) => (a.mark.address ?? 0) - (b.mark.address ?? 0));
  return one.path === two.path && (from!.mark.address ?? 0) + (from!.mark.size ?? 0) >= (to!.mark.address ?? 0);
};

/** Whether the power was cut in the call that made the store, or in what that called. */
const isCutIn = ({ mark, frames }: PlacedMark, store: PlacedMark): boolean =>
  frames.some((_, from) => madeBy({ mark, frames: frames.slice(from) }) === madeBy(store));

/** The calls that led to a stray store's caller, on the line where that was at the cut if it had gone on by then. */
function caller(store: PlacedMark, cut: PlacedMark | undefined): readonly Frame[] {
  const [from, ...others] = store.frames.slice(1);
  const at = cut?.frames.find(({ function: name, file }) => name === from?.function && file === from?.file);
  const hasGoneOn = cut !== undefined && isCutIn(cut, store) && (at?.line ?? 0) > (from?.line ?? 0);
  return from && at && hasGoneOn ? [{ ...from, line: at.line, column: at.column }, ...others] : store.frames.slice(1);
}

/** Stores with frames whose innermost one stores. */
function settled(stores: readonly StoreFact[], cut: PlacedMark, readSource: ReadSource): readonly StoreFact[] {
  const strays = new Set(stores.filter((store) => isStray(store, readSource)));
  if (strays.size === 0) return stores;
  const row = stores.toSorted((a, b) => a.mark.seq - b.mark.seq);
  const beside = (store: StoreFact, step: 1 | -1): StoreFact | undefined => {
    for (let at = row.indexOf(store); ; at += step) {
      const [one, two] = [row[at]!, row[at + step]];
      const goesOn = two !== undefined && Math.abs(two.mark.seq - one.mark.seq) === 1 && touches(one, two);
      if (!goesOn || madeBy(two) !== madeBy(store)) return undefined;
      if (!strays.has(two)) return two;
    }
  };
  return stores.map((store) => {
    if (!strays.has(store)) return store;
    return { ...store, frames: (beside(store, 1) ?? beside(store, -1))?.frames ?? caller(store, cut) };
  });
}

/** A pair of stores and what puts them in order; a store that the crash tells, too, is told as there. */
function settledOrder(order: OrderFacts, crash: CrashFacts | undefined, readSource: ReadSource): OrderFacts {
  const told = new Map(
    [...(crash?.lost ?? []), ...(crash?.kept ?? [])].map(({ mark, frames }) => [eventKey(mark), frames]),
  );
  const place = <Placed extends PlacedMark>(placed: Placed): Placed =>
    isStray(placed, readSource)
      ? { ...placed, frames: told.get(eventKey(placed.mark)) ?? caller(placed, crash?.cut) }
      : placed;
  const pair = ({ missing, kept }: StorePair): StorePair => ({ missing: place(missing), kept: place(kept) });
  const inserts = order.fix?.inserts.map(({ op, after }) => ({ op, after: place(after) }));
  const fix = order.fix && inserts && { fix: { ...order.fix, inserts } };
  return { ...order, ...pair(order), ...fix, others: order.others.map(pair) };
}

const eventKey = ({ site, stack }: PlacedMark["mark"]): string => `${site} ${stack}`;

export interface SettlingStores {
  crash(crash: CrashFacts): CrashFacts;
  /** `crash`: the settled one that it belongs to, if any. */
  order(order: OrderFacts, crash: CrashFacts | undefined): OrderFacts;
}

/** Tells the stores of crashes and of pairs where they are made, and recovery's reads up to where they end; each source file is read once. */
export function settlingStores(readSource: ReadSource): SettlingStores {
  const known = new Map<string, string | undefined>();
  const read = (path: string) => {
    if (!known.has(path)) known.set(path, readSource(path));
    return known.get(path);
  };
  const named = (stores: readonly StoreFact[], cut: PlacedMark) =>
    settled(stores, cut, read).map((store) => {
      const name = store.name ?? nameOfStore(store, read);
      return name === undefined ? store : { ...store, name };
    });
  return {
    crash: (crash) => ({
      ...crash,
      lost: named(crash.lost, crash.cut),
      ...(crash.earlier && { earlier: named(crash.earlier, crash.cut) }),
      kept: named(crash.kept, crash.cut),
      // Of other places that show it, these say nothing: the line is another's.
      elsewhere: crash.elsewhere.filter((place) => !isStray(place, read)),
      ...(crash.reading && { reading: withInlinedEnd(crash.reading, read) }),
    }),
    order: (order, crash) => settledOrder(order, crash, read),
  };
}
