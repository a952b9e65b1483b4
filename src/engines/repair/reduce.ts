/**
 * Fix reduction (Hippocrates, section 3.4.3, phase 2): one flush for stores to one line, one fence for many flushes. Always: an
 * insertion is left out only if the same check then still finds nothing that it did not find with all of them, so that
 * X → F(X) → M → I stays true for every finding that was cured, and each that stays is needed.
 */
import { patchKey } from "../../inserts/index.ts";
import type { Patch } from "../../vm/index.ts";
import type { Fix } from "./repair.ts";

const placeKey = ({ at, below }: Patch): string => [at.module, at.offset, below?.module, below?.offset].join("|");

/** Whether a check finds no more without the others. */
export type StillCured = (patches: readonly Patch[]) => Promise<boolean>;

/** Fences first, early before late: of several, the last one completes what all have flushed. */
const inTrialOrder = (patches: readonly Patch[]): readonly Patch[] => [
  ...patches.filter(({ insert }) => insert === "sfence"),
  ...patches.filter(({ insert }) => insert !== "sfence"),
];

export async function reducedPatches(patches: readonly Patch[], stillCured: StillCured): Promise<readonly Patch[]> {
  // What one place lacks was worked out from the trace: there is nothing to merge.
  if (new Set(patches.map(placeKey)).size < 2) return patches;
  let kept = patches;
  for (const patch of inTrialOrder(patches)) {
    const rest = kept.filter((one) => one !== patch);
    if (await stillCured(rest)) kept = rest;
  }
  return kept;
}

/** Fixes with what is left of their insertions; a finding whose own are all left out is cured by those before it. */
export function reducedFixes(fixes: readonly Fix[], patches: readonly Patch[]): readonly Fix[] {
  const kept = new Set(patches.map(patchKey));
  const reduced: Fix[] = [];
  for (const fix of fixes) {
    const inserts = fix.inserts.filter(({ patch }) => kept.has(patchKey(patch)));
    const host = inserts.length === 0 ? reduced.pop() : undefined;
    if (host !== undefined) reduced.push({ ...host, also: [...host.also, fix.finding.fingerprint, ...fix.also] });
    else reduced.push({ ...fix, inserts: inserts.length === 0 ? fix.inserts : inserts });
  }
  return reduced;
}
