/**
 * What recovery may read after a crash (section 5.4, with lines, clflushopt and fences): a node for each line that recovery reads,
 * after its completed flushes and the stores that it finds (fb, rf) and before the stores that it does not (fr). Two encodings:
 * - partial: each event is executed or not, and what is executed counts;
 * - full: all events are, and flushes and fences count that recovery can tell were executed; a free variable says of each whether
 *   it does, and the theory holds it against the ways from there to what recovery found (section 5.5).
 */
import { fenceKinds, type PmModel } from "../../../model/pmem/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import { comesBefore, isInitialEvent, isOn, linesOf, type ProgramEvent, type RecoveryLoad } from "../events/events.ts";
import { chooseSource, type Encoding, holding, isStoring, only, type StoreRead } from "./communication.ts";

/** end: a crash after everything took effect. */
export type CrashEncoding = "partial" | "full" | "end";

/** One node of the graph: which line's flushes come before it, and whose stores it keeps and loses. */
interface CutNode {
  readonly line?: bigint;
  readonly kept: boolean;
  /** Recovery's reads by number, and when they are this node's. */
  readonly reads: readonly (readonly [read: number, when: Term])[];
}

export interface Crash {
  /** For each read of recovery. */
  readonly sources: readonly (readonly StoreRead[])[];
  /** How many nodes the graph has, recovery's among them. */
  readonly nodes: number;
  readonly seen: number;
  readonly unseen: readonly { readonly node: number; readonly literal: number }[];
}

/** As in the model's cutsOf (docs/MODEL.md, section 3), for each line that recovery may read. */
function cutNodes(terms: Terms, recovery: readonly RecoveryLoad[], model: PmModel): CutNode[] {
  const { without } = model;
  const whole: CutNode = { kept: true, reads: recovery.map((_, index) => [index, terms.true]) };
  if (model.platform === "eadr" && !without.has("PM-32")) return [whole];
  const oneCut = model.platform === "strict" || without.has("PM-25");
  const lines = [...new Set(recovery.flatMap(({ place }) => linesOf(place)))];
  const perLine = lines.map(
    (line): CutNode => ({
      line,
      kept: !oneCut && !without.has("PM-24"),
      reads: recovery.flatMap(({ place }, index) => {
        const when = isOn(terms, place, line);
        return when === terms.false ? [] : [[index, when] as const];
      }),
    }),
  );
  return oneCut ? [...perLine, whole] : perLine;
}

export function crash(into: Encoding, recovery: readonly RecoveryLoad[], encoding: CrashEncoding): Crash {
  const { terms, events, model } = into;
  const stored = events.filter(isStoring);
  const sources = recovery.map((read, index) => chooseSource(into, `recovery ${index}`, read, read.when, stored));
  const cuts = cutNodes(terms, recovery, model);
  const seen = events.length + cuts.length;
  for (const [index, cut] of cuts.entries()) addCut(into, cut, sources, events.length + index);
  for (const { store, condition } of sources.flat())
    if (!isInitialEvent(store))
      holding(into, condition, (literal) => into.steps.push({ from: store.id, to: seen, because: only(literal) }));
  const counted = new Counted(into, encoding);
  cuts.forEach(({ line }, index) => {
    if (line === undefined) return;
    for (const flush of events.filter(({ kind }) => kind === "FL" || kind === "FO")) {
      const covers = isOn(terms, flush.place!, line);
      if (covers === terms.false) continue;
      holding(into, terms.and(covers, counted.flush(flush)), (literal) =>
        into.edges.push({ from: flush.id, to: events.length + index, because: only(literal) }),
      );
    }
  });
  return { sources, nodes: seen + 1, seen, unseen: counted.unseen };
}

function addCut(
  into: Encoding,
  { kept, reads }: CutNode,
  sources: readonly (readonly StoreRead[])[],
  node: number,
): void {
  for (const [read, when] of reads)
    for (const { store, piece, condition } of sources[read]!)
      holding(into, into.terms.and(condition, when), (literal) => {
        into.reads.push({ reader: node, piece, literal });
        if (kept && !isInitialEvent(store)) into.edges.push({ from: store.id, to: node, because: only(literal) });
      });
}

/** PM-11 to PM-21. When a flush is complete at the crash. */
class Counted {
  readonly unseen: { node: number; literal: number }[] = [];
  readonly #into: Encoding;
  readonly #encoding: CrashEncoding;
  readonly #took = new Map<ProgramEvent, Term>();

  constructor(into: Encoding, encoding: CrashEncoding) {
    this.#into = into;
    this.#encoding = encoding;
  }

  flush(flush: ProgramEvent): Term {
    const { terms, model } = this.#into;
    const { without } = model;
    if (flush.kind === "FL") {
      const counts = !without.has("PM-12") && !(this.#encoding === "full" && without.has("PM-11"));
      return counts ? this.#tookEffect(flush) : terms.false;
    }
    if (without.has("PM-17")) return this.#tookEffect(flush);
    const fences = this.#into.events.filter((event) => this.#completes(flush, event));
    return terms.and(
      this.#into.executed(flush),
      terms.or(...fences.map((fence) => terms.and(this.#tookEffect(fence), this.#isFence(fence)))),
    );
  }

  #completes(flush: ProgramEvent, fence: ProgramEvent): boolean {
    const { model } = this.#into;
    if (isInitialEvent(fence) || !["SF", "MF", "U"].includes(fence.kind)) return false;
    return comesBefore(flush, fence) || (model.without.has("PM-21") && fence.thread !== flush.thread);
  }

  /** An update that fails is another kind of event. */
  #isFence({ kind, fails }: ProgramEvent): Term {
    const { terms, model } = this.#into;
    const kinds = fenceKinds(model);
    if (fails === undefined) return terms.truth(kinds.has(kind));
    return terms.or(
      terms.and(terms.truth(kinds.has("U")), terms.not(fails)),
      terms.and(terms.truth(kinds.has("X")), fails),
    );
  }

  /** Executed before the crash; in the full encoding, as recovery can tell. */
  #tookEffect(event: ProgramEvent): Term {
    const { terms, executed, model, atoms } = this.#into;
    if (this.#encoding !== "full" || model.without.has("PM-30")) return executed(event);
    let took = this.#took.get(event);
    if (took === undefined) {
      const crashed = terms.variable("bool", `crash before ${event.id}`);
      this.unseen.push({ node: event.id, literal: atoms.of(crashed) as number });
      took = terms.and(executed(event), terms.not(crashed));
      this.#took.set(event, took);
    }
    return took;
  }
}
