/**
 * What a finding needs: stores that must be durable (X) before something else happens (I), the vocabulary of Hippocrates'
 * theorems. Always: what no insertion can cure is refused with the reason, never patched (its section 3.7).
 */
import type { CrashFacts, Finding, OrderFacts, PlacedMark } from "../../crash/finding/index.ts";
import {
  fenceAfter,
  firstDependent,
  firstKept,
  firstPromise,
  type Insert,
  insertsFor,
} from "../../crash/insertions/index.ts";
import type { Trace } from "../../trace/events/index.ts";

export interface Need {
  readonly inserts: readonly Insert[];
  /** The event by which it must be durable; the end where there is none of this number. */
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

/** Rules whose finding is a store that never becomes durable... */
export const lossRules: ReadonlySet<string> = new Set(["missing-flush", "transient-data"]);
/** ...or a flush or non-temporal store that no fence completes: the locked operations of exit and munmap do not count. */
const unfenced: ReadonlySet<string> = new Set(["missing-fence", "nontemporal-unfenced"]);

/** What a lost store without a kept one is taken to be owed to: what was promised, any store that became durable meanwhile, or any that was kept. */
export type Dependence = typeof firstKept;
export const dependences: readonly Dependence[] = [firstPromise, firstDependent, firstKept];

/** Undefined for findings that are not about durability. `calls` are the events that files were changed before. */
export function needOf(
  finding: Finding,
  trace: Trace,
  calls: readonly number[],
  dependence: Dependence,
): Need | Refusal | undefined {
  const { crash, order, rule, cause } = finding;
  // A failure may tell its pair of stores, too, and is about more than that.
  if (crash === undefined && order !== undefined) return needOfOrder(finding, order, trace);
  if (crash === undefined) return needOfRule(rule.id, cause.seq, trace);
  const refused = refusedByFacts(finding, crash);
  if (refused !== undefined) return refused;
  const { lost, cut } = crash;
  const { first, after } = keptAfter(crash);
  const lostSeqs = new Set(lost.map(({ mark }) => mark.seq));
  const by =
    after.length === 0
      ? dependence(trace, first, cut.mark.seq, calls, lostSeqs)
      : Math.min(...after.map(({ mark }) => mark.seq));
  if (by === undefined) return { finding, reason: tooLate, sites: lost };
  const stores = lost.map(({ mark }) => mark.seq).filter((seq) => seq < by);
  return { inserts: insertsFor(trace, stores, by), by };
}

/** The first store that was lost, and what was stored later and kept. */
function keptAfter({ lost, kept }: CrashFacts) {
  const first = Math.min(...lost.map(({ mark }) => mark.seq));
  return { first, after: kept.filter(({ mark }) => mark.seq > first) };
}

/** What a crash alone tells, without a look at the run. */
function refusedByFacts(finding: Finding, crash: CrashFacts): Refusal | undefined {
  const { lost, kept, cut, turning } = crash;
  const refuse = (reason: string, sites: readonly PlacedMark[]): Refusal => ({ finding, reason, sites });
  if (lost.length === 0)
    return refuse(
      "recovery fails although nothing that was stored is lost, so the stores are in the wrong order, the update is not atomic, or recovery itself is wrong",
      turning === undefined ? [cut] : [turning],
    );
  if (kept.length > 0 && keptAfter(crash).after.length === 0)
    return refuse("what must be durable later is stored first: the stores are in the wrong order", [...kept, ...lost]);
  return undefined;
}

/** Whether insertions are worth a try. */
export const mayBeCured = (finding: Finding): boolean =>
  finding.crash === undefined
    ? lossRules.has(finding.rule.id) || unfenced.has(finding.rule.id)
    : refusedByFacts(finding, finding.crash) === undefined;

/** Of stores that a crash keeps out of order, the earlier one must be durable before the later one is made. */
function needOfOrder(finding: Finding, order: OrderFacts, trace: Trace): Need | Refusal {
  const pairs = [order, ...order.others].map(({ missing, kept }) => ({ missing: missing.mark, kept: kept.mark }));
  const own = pairs.filter(({ missing, kept }) => missing.thread === kept.thread && missing.seq < kept.seq);
  if (own.length < pairs.length)
    return {
      finding,
      reason: "another thread makes what depends on it; blackout robust finds what that thread has to flush",
      sites: [order.missing, order.kept],
    };
  const inserts = own.flatMap(({ missing, kept }) => insertsFor(trace, [missing.seq], kept.seq));
  return { inserts, by: Math.min(...own.map(({ kept }) => kept.seq)) };
}

/** What a rule blames must be durable before the end. */
function needOfRule(rule: string, seq: number, trace: Trace): Need | undefined {
  if (unfenced.has(rule)) return { inserts: [fenceAfter(trace, seq)], by: trace.count };
  return lossRules.has(rule) ? { inserts: insertsFor(trace, [seq], trace.count), by: trace.count } : undefined;
}
