/** Function symbols by address: what is known about code without debug information. */
import { type Interval, IntervalIndex } from "./intervals.ts";
import type { ElfSymbol } from "./symbols.ts";

const bindingRank = { global: 0, weak: 1, local: 2, other: 3 } as const;
const isCode = ({ kind }: ElfSymbol) => kind === "function" || kind === "ifunc" || kind === "none";

/** Sized symbols cover their size; one without a size, as assembly writes them, reaches up to the next symbol. */
export function indexSymbols(symbols: readonly ElfSymbol[]): IntervalIndex<ElfSymbol> {
  const code = symbols
    .filter((symbol) => symbol.defined && symbol.section < 0xff00 && isCode(symbol) && symbol.value > 0)
    .sort((a, b) => a.value - b.value || bindingRank[a.binding] - bindingRank[b.binding]);
  const intervals: Interval<ElfSymbol>[] = [];
  let nextStart = Number.MAX_SAFE_INTEGER;
  for (let index = code.length - 1; index >= 0; index--) {
    const symbol = code[index] as ElfSymbol;
    const after = code[index + 1];
    if (after !== undefined && after.value > symbol.value) nextStart = after.value;
    const high = symbol.size > 0 ? symbol.value + symbol.size : nextStart;
    intervals.push({ low: symbol.value, high, value: symbol });
  }
  return new IntervalIndex(intervals.reverse());
}
