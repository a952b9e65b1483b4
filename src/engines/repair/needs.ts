/**
 * What a finding needs: stores that must be durable (X) before something else happens (I), the vocabulary of Hippocrates'
 * theorems. Always: what no insertion can cure is refused with the reason, never patched (its section 3.7).
 */
import type { Finding, PlacedMark } from "../../finding/index.ts";
import { firstDependent } from "../../inserts/index.ts";
import type { Trace } from "../../trace/index.ts";

export interface Need {
  readonly finding: Finding;
  /** Numbers of the events that must be durable... */
  readonly stores: readonly number[];
  /** ...before this one. */
  readonly by: number;
}

export interface Refusal {
  readonly finding: Finding;
  readonly reason: string;
  readonly sites: readonly PlacedMark[];
}

export const isRefusal = (given: Need | Refusal): given is Refusal => "reason" in given;

export const tooLate =
  "what depends on it is durable before it is stored, so the stores are in the wrong order, or the update is not atomic";

/** Rules whose finding is a store that never becomes durable, or too late. */
const durabilityRules: ReadonlySet<string> = new Set([
  "missing-flush",
  "missing-fence",
  "nontemporal-unfenced",
  "transient-data",
]);

/** Undefined for findings that are not about durability. */
export function needOf(finding: Finding, trace: Trace): Need | Refusal | undefined {
  const { crash, rule, cause } = finding;
  if (crash === undefined)
    return durabilityRules.has(rule.id) ? { finding, stores: [cause.seq], by: trace.count } : undefined;
  const { lost, kept, cut, turning } = crash;
  const refuse = (reason: string, sites: readonly PlacedMark[]): Refusal => ({ finding, reason, sites });
  if (lost.length === 0)
    return refuse(
      "recovery fails although nothing that was stored is lost, so the stores are in the wrong order, the update is not atomic, or recovery itself is wrong",
      turning === undefined ? [cut] : [turning],
    );
  const first = Math.min(...lost.map(({ mark }) => mark.seq));
  const after = kept.filter(({ mark }) => mark.seq > first);
  if (kept.length > 0 && after.length === 0)
    return refuse("what must be durable later is stored first: the stores are in the wrong order", [...kept, ...lost]);
  const by =
    after.length === 0 ? firstDependent(trace, first, cut.mark.seq) : Math.min(...after.map(({ mark }) => mark.seq));
  if (by === undefined) return refuse(tooLate, lost);
  return { finding, stores: lost.map(({ mark }) => mark.seq).filter((seq) => seq < by), by };
}
