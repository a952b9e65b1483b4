/**
 * What a statement stores each time that a run comes by. Always: of one time's stores one follows the other closely, for a copy has no
 * more instructions between two turns of its loop than those that store; and a statement in a loop of the source is a time each turn.
 */
import { eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";

export type StoreEvent = Extract<TraceEvent, { readonly kind: "store" | "non-temporal" }>;

export interface RangeOfTime {
  readonly first: number;
  readonly end: number;
}

const WORD_BYTES = 8;

/** One word, which no object is that lies on two lines unless it is misaligned. */
export const isWord = ({ first, end }: RangeOfTime): boolean =>
  Math.floor(first / WORD_BYTES) === Math.floor((end - 1) / WORD_BYTES);

/** `isTurn`: the statement is in a loop of the source and copies nothing, so that an instruction stores once each time. */
export function rangesEachTime(stores: readonly StoreEvent[], isTurn: boolean): readonly RangeOfTime[] {
  const sites = new Set(stores.map(({ site }) => site)).size;
  const ranges: RangeOfTime[] = [];
  let seen = new Set<number>();
  let last: number | undefined;
  for (const { address, size, site, seq } of stores.toSorted((a, b) => a.seq - b.seq)) {
    const isNext = last !== undefined && seq - last <= sites && !(isTurn && seen.has(site));
    const before = isNext ? ranges.pop() : undefined;
    ranges.push({
      first: Math.min(before?.first ?? address, address),
      end: Math.max(before?.end ?? 0, address + size),
    });
    seen = isNext ? seen.add(site) : new Set([site]);
    last = seq;
  }
  return ranges;
}

/** More say nothing new of what a statement stores. */
const MAX_STORES = 4096;

/** What instructions store in a run. */
export function storesBySite(trace: Trace, sites: ReadonlySet<number>): ReadonlyMap<number, readonly StoreEvent[]> {
  const found = new Map<number, StoreEvent[]>([...sites].map((site) => [site, []]));
  if (sites.size === 0) return found;
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind !== "store" && event.kind !== "non-temporal") continue;
    const stores = found.get(event.site);
    if (stores !== undefined && stores.length < MAX_STORES) stores.push(event);
  }
  return found;
}
