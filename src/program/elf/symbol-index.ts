/** Function symbols by address: what is known about code without debug information. */
import { type Interval, IntervalIndex } from "./intervals.ts";
import { type Segment, segmentTypes } from "./segments.ts";
import type { ElfSymbol } from "./symbols.ts";

const bindingRank = { global: 0, weak: 1, local: 2, other: 3 } as const;
const isCode = ({ kind }: ElfSymbol) => kind === "function" || kind === "ifunc" || kind === "none";
/** Section indices from here on mean something else than a section. */
const FIRST_RESERVED = 0xff00;

/**
 * Sized symbols cover their size; one without a size, as assembly writes them, reaches up to the next symbol or the end
 * of its segment.
 */
export function indexSymbols(symbols: readonly ElfSymbol[], segments: readonly Segment[]): IntervalIndex<ElfSymbol> {
  const code = symbols
    .filter((symbol) => symbol.defined && symbol.section < FIRST_RESERVED && isCode(symbol) && symbol.value > 0)
    .sort((a, b) => a.value - b.value || bindingRank[a.binding] - bindingRank[b.binding]);
  const loads = segments.filter(({ type }) => type === segmentTypes.load);
  const endOfSegment = (address: number) => {
    const load = loads.find(({ vaddr, memsz }) => address >= vaddr && address < vaddr + memsz);
    return load === undefined ? address : load.vaddr + load.memsz;
  };
  const intervals: Interval<ElfSymbol>[] = [];
  let nextStart = Number.MAX_SAFE_INTEGER;
  for (let index = code.length - 1; index >= 0; index--) {
    const symbol = code[index] as ElfSymbol;
    const after = code[index + 1];
    if (after !== undefined && after.value > symbol.value) nextStart = after.value;
    const high = symbol.size > 0 ? symbol.value + symbol.size : Math.min(nextStart, endOfSegment(symbol.value));
    intervals.push({ low: symbol.value, high, value: symbol });
  }
  return new IntervalIndex(intervals.reverse());
}
