/**
 * Fixes tried as patches of the running program: it is traced and judged again with the flush and the fence in place. Always:
 * what is called verified was seen to leave none of the finding's pairs.
 */
import type { Finding, PlacedMark, StorePair } from "../../finding/index.ts";
import { patchKey } from "../../inserts/index.ts";
import type { Patch } from "../../vm/index.ts";

/** What is found in the program with these patches. */
export type FoundWith = (patches: readonly Patch[]) => Promise<readonly Finding[]>;

export interface FixPoint {
  /** Verified, in the order in which they were applied. */
  readonly fixed: readonly Finding[];
  /** Errors that no fix cured. */
  readonly left: readonly Finding[];
  readonly patches: readonly Patch[];
}

const placeOf = ({ frames: [frame], mark }: PlacedMark): string =>
  frame?.module === undefined ? `${mark.site}` : `${frame.module}+${frame.offset}`;
const pairKey = ({ missing, kept }: StorePair): string => `${placeOf(missing)} ${placeOf(kept)}`;
const pairsOf = ({ order }: Finding): readonly StorePair[] => (order === undefined ? [] : [order, ...order.others]);

/** Whether none of a finding's pairs is among what is found. */
function isGone(finding: Finding, found: readonly Finding[]): boolean {
  const left = new Set(found.flatMap(pairsOf).map(pairKey));
  return !pairsOf(finding).some((pair) => left.has(pairKey(pair)));
}

const withVerdict = (finding: Finding, verified: boolean): Finding => ({
  ...finding,
  order: { ...finding.order!, fix: { ...finding.order!.fix!, verified } },
});

/** Each finding with whether its fix cures it. */
export async function verifyFixes(findings: readonly Finding[], foundWith: FoundWith): Promise<readonly Finding[]> {
  const told: Finding[] = [];
  for (const finding of findings) {
    const patches = finding.order?.fix?.patches;
    told.push(patches === undefined ? finding : withVerdict(finding, isGone(finding, await foundWith(patches))));
  }
  return told;
}

/** Applies one fix after another, each on top of those before, until no error is left that one cures. */
export async function fixPoint(findings: readonly Finding[], foundWith: FoundWith): Promise<FixPoint> {
  const fixed: Finding[] = [];
  const tried = new Set<string>();
  let patches: readonly Patch[] = [];
  let errors = errorsIn(findings);
  for (;;) {
    const keyOf = (finding: Finding) =>
      [finding.fingerprint, ...(finding.order?.fix?.patches ?? []).map(patchKey)].join(" ");
    const next = errors.find((finding) => finding.order?.fix !== undefined && !tried.has(keyOf(finding)));
    if (next === undefined) return { fixed, left: errors, patches };
    tried.add(keyOf(next));
    const more = new Map([...patches, ...next.order!.fix!.patches].map((patch) => [patchKey(patch), patch]));
    const found = errorsIn(await foundWith([...more.values()]));
    if (!isGone(next, found)) continue;
    fixed.push(withVerdict(next, true));
    patches = [...more.values()];
    errors = found;
  }
}

const errorsIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ rule }) => rule.severity === "error");
