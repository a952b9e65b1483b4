/**
 * How code that takes a checksum is named: a function by its symbol or as MODULE+0xOFFSET, a loop as MODULE+0xENTRIES..0xEXITS
 * with commas between several. Behind a name may stand in parentheses what people call it.
 */
import type { Machine } from "../../machine/index.ts";

/** Addresses of the guest. A loop has exits; a function is over when it returns. */
export interface NamedCode {
  readonly entries: readonly number[];
  readonly exits?: readonly number[];
}

type Places = Pick<Machine, "symbol" | "addressIn">;

/** What people call it, or else its name. */
export const spokenCode = (name: string): string => / \((.+)\)$/.exec(name)?.[1] ?? name;

/** Undefined where the machine has mapped nothing that is called so. */
export function codeNamed(name: string, machine: Places): NamedCode | undefined {
  const bare = name.replace(/ \(.+\)$/, "");
  const [, module, entries, exits] = /^(.+)\+(0x[\da-f]+(?:,0x[\da-f]+)*)(?:\.\.(0x[\da-fx,]+))?$/i.exec(bare) ?? [];
  if (module === undefined || entries === undefined) {
    const entry = machine.symbol(bare);
    return entry === undefined ? undefined : { entries: [entry] };
  }
  const addresses = (offsets: string) => offsets.split(",").map((offset) => machine.addressIn(module, Number(offset)));
  const [starts, ends] = [addresses(entries), exits === undefined ? undefined : addresses(exits)];
  if (!areKnown(starts) || (ends !== undefined && !areKnown(ends))) return undefined;
  return { entries: starts, ...(ends && { exits: ends }) };
}

/** Of a loop; undefined where some of it lies in no file, or in several. `spoken`: what people call it. */
export function loopName(code: Required<NamedCode>, siteOf: (address: number) => string, spoken = "") {
  const places = (addresses: readonly number[]) =>
    addresses.map((address) => /\(([^()]+)\+(0x[\da-f]+)\)$/.exec(siteOf(address)) ?? []);
  const [entries, exits] = [places(code.entries), places(code.exits)];
  const [modules, offsets] = [1, 2].map((part) => [...entries, ...exits].map((place) => place[part]));
  if (new Set(modules).size !== 1 || modules![0] === undefined) return undefined;
  const spelt = [offsets!.slice(0, entries.length), offsets!.slice(entries.length)].map((list) => list.join());
  return `${modules![0]}+${spelt.join("..")}${spoken && ` (${spoken})`}`;
}

const areKnown = (addresses: readonly (number | undefined)[]): addresses is readonly number[] =>
  addresses.every((address) => address !== undefined);
