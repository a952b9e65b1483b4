/**
 * A file's functions, and which of them have run. Always: a function of which anything ran is not said never to have run. What is
 * so short that compilers fold it away is left out: its code may be another function's, or none.
 */
import { addressOfOffset, type FunctionInfo, type Range } from "../elf/index.ts";
import type { DebugFile } from "./debug-file.ts";

export interface RanFunction {
  readonly name: string;
  readonly file: string;
  readonly line: number;
  readonly ran: boolean;
}

/** Of a function's code. A jump to another function that is the same, which -fipa-icf makes, is shorter. */
const leastBytes = 16;

/** Ranges without overlaps, in order. */
function joined(ranges: readonly Range[]): readonly Range[] {
  const all: { low: number; high: number }[] = [];
  for (const { low, high } of ranges.toSorted((a, b) => a.low - b.low)) {
    const last = all.at(-1);
    if (last !== undefined && low <= last.high) last.high = Math.max(last.high, high);
    else all.push({ low, high });
  }
  return all;
}

/** Whether a range has an address with one of those, which are in order and do not overlap. */
function meets({ low, high }: Range, ordered: readonly Range[]): boolean {
  let [from, to] = [0, ordered.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (ordered[middle]!.high <= low) from = middle + 1;
    else to = middle;
  }
  return from < ordered.length && ordered[from]!.low < high;
}

const longest = ({ ranges }: FunctionInfo): number => Math.max(...ranges.map(({ low, high }) => high - low));

/** `blocks` are lengths of the blocks that ran, by their offsets in the file. */
export function ranFunctions(
  { elf, symbolizer }: DebugFile,
  blocks: ReadonlyMap<number, number>,
): readonly RanFunction[] {
  const ran = joined(
    [...blocks].flatMap(([offset, length]) => {
      const low = addressOfOffset(elf.segments, offset);
      return low === undefined ? [] : [{ low, high: low + length }];
    }),
  );
  return symbolizer.functions().flatMap((each) => {
    const { name, file, line, ranges } = each;
    if (file === undefined || line === undefined || longest(each) < leastBytes) return [];
    return [{ name, file, line, ran: ranges.some((range) => meets(range, ran)) }];
  });
}
