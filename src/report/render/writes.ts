/**
 * Stores as a reader sees them: what one statement or one call wrote to bytes side by side is one write. Always: writes come in
 * the order of their first stores, and together hold every byte of every store.
 */

import { textIn } from "../../base/index.ts";
import type { StoreFact } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { hexBytes, hexText, known, type PlaceTable } from "./place-table.ts";
import { commonName } from "./write-text.ts";

/** Bytes shown of a write. */
const shownBytes = 256;

interface Gathered {
  readonly first: StoreFact;
  readonly place: number;
  from: number;
  to: number;
  readonly stores: StoreFact[];
}

function bytesOf({ from, to, stores }: Gathered): Uint8Array {
  const bytes = new Uint8Array(to - from);
  for (const { mark } of stores.toSorted((a, b) => a.mark.seq - b.mark.seq)) {
    const { address = 0, size = 0, value = 0n } = mark;
    for (let at = 0; at < size; at++) bytes[address - from + at] = Number((value >> BigInt(8 * at)) & 0xffn);
  }
  return bytes;
}

function writeOf(gathered: Gathered): document.Write {
  const { first, place, from, to, stores } = gathered;
  const bytes = bytesOf(gathered).subarray(0, shownBytes);
  const lowest = stores.find(({ mark }) => mark.address === from);
  return known<document.Write>({
    event: first.mark.seq,
    thread: first.mark.thread,
    place,
    file: first.path,
    offset: from,
    address: hexText(lowest?.address),
    size: to - from,
    bytes: hexBytes([...bytes]),
    text: stores.length === 1 && first.number !== undefined ? undefined : textIn(bytes),
    name: commonName(stores.map(({ name }) => name)),
    signed: (stores.length === 1 && first.number === "signed") || undefined,
    stores: stores.length > 1 ? stores.length : undefined,
  });
}

/** `ownOf`: the call that counts, where it is not the innermost of the user's. */
export function writesOf(
  stores: readonly StoreFact[],
  places: PlaceTable,
  ownOf: (store: StoreFact) => number | undefined = () => undefined,
): document.Write[] {
  const byStatement = new Map<string, Gathered[]>();
  for (const store of [...stores].sort((a, b) => a.mark.seq - b.mark.seq)) {
    const place = places.add(store.frames, ownOf(store));
    const { address = 0, size = 0, thread } = store.mark;
    const key = `${store.path} ${thread} ${places.statement(store.frames)}`;
    const siblings = byStatement.get(key) ?? [];
    const alone = { first: store, place, from: address, to: address + size, stores: [store] };
    const [touched, ...more] = siblings.filter(({ from, to }) => address <= to && address + size >= from);
    if (touched === undefined) byStatement.set(key, [...siblings, alone]);
    else for (const each of [alone, ...more]) join(touched, each);
    if (more.length > 0)
      byStatement.set(
        key,
        siblings.filter((each) => !more.includes(each)),
      );
  }
  const writes = [...byStatement.values()].flat();
  return writes.sort((a, b) => a.first.mark.seq - b.first.mark.seq).map(writeOf);
}

/** What a store made touch is one write. */
function join(one: Gathered, other: Gathered): void {
  one.from = Math.min(one.from, other.from);
  one.to = Math.max(one.to, other.to);
  one.stores.push(...other.stores);
}
