/**
 * Stores that the user does not mind out of order: counters that need only be about right, hints, what recovery reads and discards. Always:
 * they neither bound a crash nor are missed, as if recovery had not read them.
 */
import { InputError } from "../../base/index.ts";
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import { TraceCursor } from "../../crash/states/index.ts";
import type { PmStore } from "../../model/pmem/index.ts";
import { lineBytes } from "../../model/pmem/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { StoreFacts } from "../explain/index.ts";

export type IsIgnored = (line: number, store: PmStore) => boolean;

interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** `0x40+8`: bytes of a persistent file; anything else is a field's name, or the end of one. */
function rangeIn(text: string): ByteRange | undefined {
  const [, from, bytes] = /^(0x[\da-f]{1,12}|\d{1,15})\+(0x[\da-f]{1,12}|\d{1,15})$/i.exec(text) ?? [];
  if (from === undefined) return undefined;
  if (Number(bytes) === 0)
    throw new InputError("robust/ignore", `--ignore ${text} is no bytes: give a field, or OFFSET+BYTES.`, { text });
  return { from: Number(from), to: Number(from) + Number(bytes) };
}

/** Whether `counts[].hits` is what is meant by `hits`, `counts[].hits` or `counts[3].hits`. */
function isMeant(name: string, field: string): boolean {
  const erased = (text: string) => text.replaceAll(/\[[^\]]*\]/g, "[]");
  const [whole, end] = [erased(name), erased(field)];
  return whole === end || whole.endsWith(`.${end}`) || whole.endsWith(`->${end}`);
}

export function ignoredStores(scene: LeadScene, planned: PlannedPoints, what: readonly string[]): IsIgnored {
  if (what.length === 0) return () => false;
  const ranges = what.flatMap((text) => rangeIn(text) ?? []);
  const fields = what.filter((text) => rangeIn(text) === undefined);
  const facts = new StoreFacts(scene.places, planned.source.trace);
  const cursor = new TraceCursor(planned.source);
  const { points } = planned;
  /** One instruction below one caller stores to one field, of whichever object. */
  const known = new Map<string, boolean>();
  const isField = (store: PmStore, address: number, path: string): boolean => {
    const key = `${store.site}/${store.stack}`;
    const before = known.get(key);
    if (before !== undefined) return before;
    const { mappings } = cursor.before(store.seq + 1);
    const { name } = facts.fact({ ...store, path, address }, mappings);
    const isOne = name !== undefined && fields.some((field) => isMeant(name, field));
    known.set(key, isOne);
    return isOne;
  };
  return (line, store) => {
    const { file, index } = points.place(line);
    const address = index * lineBytes + store.offset;
    if (ranges.some(({ from, to }) => address < to && address + store.size > from)) return true;
    return fields.length > 0 && isField(store, address, points.tables.paths[file]!);
  };
}
