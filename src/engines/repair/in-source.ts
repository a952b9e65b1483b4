/**
 * Verified fixes as one patch of the source. Always: what is printed is what was verified. A fix that has an insertion without a
 * place in the source is not printed at all, and those that are printed are verified once more without it. Ranges that are added to
 * transactions are no insertions of the machine's: building the program again is what verifies them.
 */
import type { Patch } from "../../machine/index.ts";
import { curedBy } from "./reduce.ts";
import { distinctPatches, type Fix, type Repaired } from "./repair.ts";
import type { PlacedInsert, SourceChange, SourcePatch } from "./source-patch.ts";
import type { UnaddedStore } from "./unadded.ts";

export interface PlacedFix {
  readonly fix: Fix;
  readonly placed: readonly PlacedInsert[];
}

export interface AddedRange {
  readonly store: UnaddedStore;
  readonly placed: PlacedInsert;
}

export interface InSource {
  /** Those whose insertions are all in the changes. */
  readonly whole: readonly PlacedFix[];
  /** What is added to transactions, by the changes too where there is a place for it. */
  readonly added: readonly AddedRange[];
  /** Those of which nothing is in the changes, with what keeps them out of the source. */
  readonly without: readonly PlacedFix[];
  readonly changes: readonly SourceChange[];
}

const isWhole = ({ placed }: PlacedFix): boolean => placed.every(({ unplaced }) => unplaced === undefined);

const reasonOfOthers = "it cures only together with a fix that has no place in the source";

/** `errors` is asked only where some of the fixes are left out; it gives the fingerprints of what patches leave. */
export async function fixesInSource(
  { fixes, unadded }: Pick<Repaired, "fixes" | "unadded">,
  newPatch: () => SourcePatch,
  errors: (patches: readonly Patch[]) => Promise<ReadonlySet<string>>,
): Promise<InSource> {
  const without: PlacedFix[] = [];
  for (let left = fixes; ; ) {
    const patch = newPatch();
    const placed = left.map((fix): PlacedFix => ({ fix, placed: patch.add(fix) }));
    const whole = placed.filter(isWhole);
    if (whole.length < left.length) {
      without.push(...placed.filter((one) => !isWhole(one)));
      left = whole.map(({ fix }) => fix);
      continue;
    }
    const failing = without.length === 0 ? [] : await stillFailing(whole, errors);
    if (failing.length === 0) {
      const added = unadded.map((store) => ({ store, placed: patch.addRange(store.finding.frames) }));
      return { whole, without, added, changes: patch.changes() };
    }
    without.push(...failing.map(({ fix, placed: [first] }) => ({ fix, placed: [unplaced(first!)] })));
    left = whole.filter((one) => !failing.includes(one)).map(({ fix }) => fix);
  }
}

const unplaced = ({ frame }: PlacedInsert): PlacedInsert => ({ frame, statements: [], unplaced: reasonOfOthers });

async function stillFailing(
  whole: readonly PlacedFix[],
  errors: Parameters<typeof fixesInSource>[2],
): Promise<readonly PlacedFix[]> {
  if (whole.length === 0) return [];
  const left = await errors(patchesOf(whole));
  return whole.filter(({ fix }) => curedBy(fix).some((one) => left.has(one)));
}

/** Those of the fixes that are printed. */
export const patchesOf = (whole: InSource["whole"]): readonly Patch[] =>
  distinctPatches(whole.flatMap(({ fix }) => fix.inserts.map(({ patch }) => patch)));
