/**
 * Fixes tried as patches of the running program: it is traced and judged again with the flush and the fence in place. Always:
 * what is called verified was seen to leave none of the finding's pairs.
 */
import type { Finding, PlacedMark, StorePair } from "../../crash/finding/index.ts";
import { patchKey } from "../../crash/insertions/index.ts";
import { fixOfAll } from "../../exploration/persist-order/index.ts";
import type { Patch } from "../../machine/index.ts";

/** What is found in the program with these patches; undefined when a limit ended the judging before all was judged. */
export type FoundWith = (patches: readonly Patch[]) => Promise<readonly Finding[] | undefined>;

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

/** How often a fix may ask for more: the same code stores to lines that end at other places. */
const mostRounds = 8;

interface Tried {
  /** With all that was inserted for it. */
  readonly finding: Finding;
  readonly isCured: boolean;
  readonly patches: readonly Patch[];
  readonly found: readonly Finding[];
}

const together = (a: readonly Patch[], b: readonly Patch[]): readonly Patch[] => [
  ...new Map([...a, ...b].map((patch) => [patchKey(patch), patch])).values(),
];

/** Tries a finding's fix on top of patches; where pairs of it are left that need more, that too. Undefined at a limit. */
async function tryFix(finding: Finding, before: readonly Patch[], foundWith: FoundWith): Promise<Tried | undefined> {
  let fix = finding.order!.fix!;
  for (let round = 0; ; round++) {
    const patches = together(before, fix.patches);
    const found = await foundWith(patches);
    if (found === undefined) return undefined;
    const isCured = isGone(finding, found);
    const told = (verified: boolean): Finding => ({
      ...finding,
      order: { ...finding.order!, fix: { ...fix, verified } },
    });
    const more = found.find(({ fingerprint }) => fingerprint === finding.fingerprint)?.order?.fix;
    const wider = more && fixOfAll([fix, more]);
    const isWider = wider !== undefined && wider.patches.length > fix.patches.length;
    if (isCured || !isWider || round === mostRounds) return { finding: told(isCured), isCured, patches, found };
    fix = wider;
  }
}

/** Each finding with whether its fix cures it. */
export async function verifyFixes(findings: readonly Finding[], foundWith: FoundWith): Promise<readonly Finding[]> {
  const told: Finding[] = [];
  for (const finding of findings) {
    const tried = finding.order?.fix && (await tryFix(finding, [], foundWith));
    told.push(tried?.finding ?? finding);
  }
  return told;
}

/** Applies one fix after another, each on top of those before, until no error is left that one cures. */
export async function fixPoint(findings: readonly Finding[], foundWith: FoundWith): Promise<FixPoint> {
  const fixed: Finding[] = [];
  const failed = new Set<string>();
  let patches: readonly Patch[] = [];
  let errors = errorsIn(findings);
  for (;;) {
    const keyOf = (finding: Finding) => [finding.fingerprint, ...patches.map(patchKey)].join(" ");
    const next = errors.find((finding) => finding.order?.fix !== undefined && !failed.has(keyOf(finding)));
    const tried = next && (await tryFix(next, patches, foundWith));
    if (next === undefined || tried === undefined) return { fixed, left: errors, patches };
    if (!tried.isCured || tried.patches.length === patches.length) failed.add(keyOf(next));
    else {
      fixed.push(tried.finding);
      patches = tried.patches;
      errors = errorsIn(tried.found);
    }
  }
}

const errorsIn = (findings: readonly Finding[]): readonly Finding[] =>
  findings.filter(({ rule }) => rule.severity === "error");
