/** From pairs of stores to findings: one for each field and function whose stores are not persisted in time. */
import { lineBytes, TraceCursor } from "../../crash/index.ts";
import { responsibleFor, StoreFacts } from "../../explain/index.ts";
import { type Finding, fingerprintOf, type OrderFacts, type StoreFact } from "../../finding/index.ts";
import type { PlannedPoints } from "../../tree/index.ts";
import type { LeadScene } from "../../work/index.ts";
import { fixOfAll, PairFixes, sharedObject } from "./fixes.ts";
import type { MadeStore } from "./line-stores.ts";
import type { FoundPair } from "./pairs.ts";
import { orderRules } from "./rules.ts";

/** `log->rec[].text`: which element it is does not make another mistake of it. */
const fieldOf = ({ name, frames }: StoreFact): string =>
  name?.replaceAll(/\[[^\]]*\]/g, "[]") ?? `${frames[0]?.file}:${frames[0]?.line ?? frames[0]?.offset}`;

const describeRead = ({ missing, kept, stale, sameValues }: OrderFacts): string => {
  const nameOf = ({ name, mark }: StoreFact) => name ?? `${mark.size} bytes at 0x${(mark.address ?? 0).toString(16)}`;
  const seen = `recovery can read ${nameOf(kept)} = ${kept.mark.value} and ${nameOf(missing)} = ${stale}, which was ${missing.mark.value} by then`;
  return sameValues ? `${seen}; a crash that keeps the stores in their order shows it the same values` : seen;
};

class PairFindings {
  readonly #planned: PlannedPoints;
  readonly #fixes: PairFixes;
  readonly #facts: StoreFacts;
  readonly #cursor: TraceCursor;

  constructor(scene: LeadScene, planned: PlannedPoints) {
    this.#planned = planned;
    this.#facts = new StoreFacts(scene.places, planned.source.trace);
    this.#fixes = new PairFixes(scene, planned, this.#facts);
    this.#cursor = new TraceCursor(planned.source);
  }

  finding({ missing, kept, reading, stale, isError, count }: FoundPair): Finding {
    const pair = { missing: this.#fact(missing), kept: this.#fact(kept) };
    const [fix, object] = [this.#fixes.of(missing, kept), sharedObject(pair)];
    const order: OrderFacts = {
      ...pair,
      reading,
      stale,
      sameValues: !isError,
      ...(fix && { fix }),
      ...(object && { object }),
      others: [],
    };
    const { frames, mark } = order.missing;
    return {
      rule: isError ? orderRules.violation : orderRules.sameValues,
      says: describeRead(order),
      cause: mark,
      frames,
      evidence: [{ ...order.kept, says: `survives, and is stored later` }],
      count,
      order,
      fingerprint: fingerprintOf(`order\n${fieldOf(order.missing)}\n${responsibleFor(frames)}`, []),
    };
  }

  #fact({ line, store }: MadeStore): StoreFact {
    const { points } = this.#planned;
    const { file, index } = points.place(line);
    const address = index * lineBytes + store.offset;
    const { mappings } = this.#cursor.before(store.seq + 1);
    return this.#facts.fact({ ...store, path: points.tables.paths[file]!, address }, mappings);
  }
}

/** Several pairs of one field and function are one finding, told by the first of them that is worst. */
export function findingsOf(pairs: readonly FoundPair[], scene: LeadScene, planned: PlannedPoints): readonly Finding[] {
  const made = new PairFindings(scene, planned);
  const alike = new Map<string, Finding[]>();
  for (const pair of pairs) {
    const finding = made.finding(pair);
    alike.set(finding.fingerprint, [...(alike.get(finding.fingerprint) ?? []), finding]);
  }
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
