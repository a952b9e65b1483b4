/**
 * Helpers that flush what they say, and those that flush less: tried on ranges that begin and end anywhere in a line. Always: a helper
 * that nobody here understands is trusted.
 */
import type { HelperBodies } from "./helper-bodies.ts";
import { linesFlushed } from "./helper-runs.ts";
import type { DurabilityHelper } from "./helpers.ts";

const LINE_BYTES = 64;
const BASE = 0x7000_0000_0000;

interface Range {
  readonly from: number;
  readonly size: number;
}

const range = (from: number, size: number): Range => ({ from: BASE + from, size });

/** Over a border, over several, a line itself, and all but its first byte. */
const anyRanges = [range(60, 8), range(8, 130), range(63, 66), range(64, 64), range(1, 63), range(128, 200)];
const withinLines = [range(0, 8), range(24, 8), range(56, 8)];

/** Without those that flush less than a line, and with a mark on those that flush one line of a range. */
export const trusted = (helpers: readonly DurabilityHelper[], bodies: HelperBodies): readonly DurabilityHelper[] =>
  helpers.flatMap((helper) => {
    if (!helper.flushes || helper.rust !== undefined) return [helper];
    const flushesAll = (ranges: readonly Range[]) => ranges.every((one) => coversAll(helper, bodies, one));
    if (!flushesAll(withinLines)) return [];
    return helper.parameters < 2 || flushesAll(anyRanges) ? [helper] : [{ ...helper, isOfLine: true }];
  });

function coversAll(
  { name, takesPlace = false }: DurabilityHelper,
  bodies: HelperBodies,
  { from, size }: Range,
): boolean {
  const lines = linesFlushed(bodies, { name, address: from, size, isObject: takesPlace });
  if (lines === undefined) return true;
  for (let line = Math.floor(from / LINE_BYTES); line * LINE_BYTES < from + size; line++)
    if (!lines.has(line)) return false;
  return true;
}
