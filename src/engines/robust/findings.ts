/** From pairs of stores to findings: one for each field and function whose stores are not persisted in time. */
import { valueWords } from "../../base/index.ts";
import {
  type Finding,
  fingerprintOf,
  type OrderFacts,
  responsibleFor,
  type StoreFact,
} from "../../crash/finding/index.ts";
import type { PlannedPoints } from "../../crash/recovery-tree/index.ts";
import { type FoundPair, fixOfAll, PairFacts } from "../../exploration/persist-order/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { orderRules } from "./rules.ts";

/** `log->rec[].text`: which element it is does not make another mistake of it. */
const fieldOf = ({ name, frames }: StoreFact): string =>
  name?.replaceAll(/\[[^\]]*\]/g, "[]") ?? `${frames[0]?.file}:${frames[0]?.line ?? frames[0]?.offset}`;

const describeRead = ({ missing, kept, stale, sameValues }: OrderFacts): string => {
  const nameOf = ({ name, mark }: StoreFact) => name ?? `${mark.size} bytes at 0x${(mark.address ?? 0).toString(16)}`;
  const shownValue = ({ mark }: StoreFact, value = mark.value ?? 0n) => valueWords(value, mark.size ?? 0);
  const seen = `recovery can read ${nameOf(kept)} = ${shownValue(kept)} and ${nameOf(missing)} = ${shownValue(missing, stale)}, which was ${shownValue(missing)} by then`;
  return sameValues ? `${seen}; a crash that keeps the stores in their order shows it the same values` : seen;
};

export function findingOf(pair: Parameters<PairFacts["of"]>[0] & Pick<FoundPair, "count">, facts: PairFacts): Finding {
  const order = facts.of(pair);
  const { frames, mark } = order.missing;
  return {
    rule: pair.isError ? orderRules.violation : orderRules.sameValues,
    says: describeRead(order),
    cause: mark,
    frames,
    evidence: [],
    count: pair.count,
    order,
    fingerprint: fingerprintOf(`order\n${fieldOf(order.missing)}\n${responsibleFor(frames)}`, []),
  };
}

/** Several pairs of one field and function are one finding, told by the first of them that is worst. */
export function findingsOf(pairs: readonly FoundPair[], scene: LeadScene, planned: PlannedPoints): readonly Finding[] {
  const facts = new PairFacts(scene, planned);
  return mergedFindings(pairs.map((pair) => findingOf(pair, facts)));
}

export function mergedFindings(findings: readonly Finding[]): readonly Finding[] {
  const alike = new Map<string, Finding[]>();
  for (const finding of findings) alike.set(finding.fingerprint, [...(alike.get(finding.fingerprint) ?? []), finding]);
  return [...alike.values()].map(merged);
}

function merged(all: readonly Finding[]): Finding {
  const first = all.find(({ rule }) => rule.severity === "error") ?? all[0]!;
  const counting = all.filter(({ rule }) => rule.id === first.rule.id);
  const others = all.filter((each) => each !== first).map(({ order }) => order!);
  const count = all.reduce((sum, each) => sum + each.count, 0);
  const fix = fixOfAll(counting.map(({ order }) => order!.fix));
  const { fix: _, ...order } = first.order!;
  const pairs = others.map(({ missing, kept }) => ({ missing, kept }));
  return { ...first, count, order: { ...order, ...(fix && { fix }), others: pairs } };
}
