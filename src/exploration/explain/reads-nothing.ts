/**
 * A recovery that judges nothing: it reads no byte that the run stored, as one that is given another file does. Every crash state is
 * fine with it, and that means nothing. Always: said only of a recovery of the user's own that is the only command after the crash, and
 * that read nothing after several crashes, the one at the end among them, that keep every store.
 */
import {
  type Finding,
  fingerprintOf,
  outsideTheSystem,
  ownPosition,
  type RuleInfo,
} from "../../crash/finding/index.ts";
import { Mappings } from "../../model/pmem/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { eventsBetween, type TraceEvent } from "../../trace/events/index.ts";
import { RecoveryLoads } from "./recovery-loads.ts";
import { StoreFacts } from "./store-facts.ts";

export const readsNothingRule: RuleInfo = {
  id: "recovery-reads-nothing",
  severity: "warning",
  title: "recovery reads nothing of what was stored",
  sentence: "After crashes of this run the recovery reads none of the bytes that the run stored.",
  advice:
    "see whether --recover is given the file that the program writes, and whether it gets as far as to look into it.",
};

/** Stores that are looked at for names, and names that are told. */
const mostSites = 200;
const shownNames = 3;
/** Crashes that a recovery is run after. */
const moments = 3;

type Stored = Extract<TraceEvent, { readonly kind: "store" | "non-temporal" }>;

/** Of one session, whose findings are told more than once: recoveries run for it once. */
export class ReadsNothing {
  #known: { readonly scene: LeadScene; readonly found: readonly Finding[] } | undefined;

  with(scene: LeadScene, findings: readonly Finding[]): readonly Finding[] {
    const { subject } = scene;
    const isOnly = subject.options.recover !== undefined && subject.recoveryCommands.length === 1;
    if (!isOnly || findings.some(({ crash }) => crash !== undefined)) return findings;
    if (this.#known?.scene !== scene) this.#known = { scene, found: readsNothingIn(scene) };
    return [...findings, ...this.#known.found];
  }
}

function readsNothingIn(scene: LeadScene): readonly Finding[] {
  const { stores, names } = storesOf(scene);
  const [first] = stores;
  return first === undefined || readsAny(scene, stores) ? [] : [findingOf(scene, first, names)];
}

/** The first store of each instruction, and what is stored to, by name. */
function storesOf({ trace, places }: LeadScene) {
  const facts = new StoreFacts(places, trace);
  const mappings = new Mappings();
  const stores = new Map<number, Stored>();
  const names = new Set<string>();
  for (const event of eventsBetween(trace, 0, trace.count)) {
    if (event.kind === "map" && event.persistent) mappings.map(event.path, event.start, event.length, event.offset);
    if (event.kind !== "store" && event.kind !== "non-temporal") continue;
    if (stores.has(event.site) || stores.size >= mostSites || mappings.at(event.address) === undefined) continue;
    stores.set(event.site, event);
    const { name } = facts.namedAt(event.seq, mappings);
    if (name !== undefined) names.add(name);
  }
  return { stores: [...stores.values()], names: [...names] };
}

function readsAny(scene: LeadScene, stores: readonly Stored[]): boolean {
  const loads = new RecoveryLoads(scene);
  const { count } = scene.trace;
  const seqs = Array.from({ length: moments }, (_, at) => Math.ceil((count * (moments - at)) / moments));
  return seqs.some((seq) => loads.readsAnyStored(seq, stores));
}

function findingOf({ places }: LeadScene, first: Stored, names: readonly string[]): Finding {
  const frames = places.resolver.frames(first.site, first.stack);
  const own = frames.slice(ownPosition(frames, outsideTheSystem) ?? 0);
  const shown = names.slice(0, shownNames).join(", ");
  const more = names.length > shownNames ? ` and ${names.length - shownNames} more` : "";
  const what = shown === "" ? "what this run stored" : `what this run stored, as ${shown}${more}`;
  const { seq, thread, site, stack, address, size } = first;
  return {
    rule: readsNothingRule,
    says: `the recovery reads nothing of ${what}: that no crash breaks it says nothing about the program`,
    cause: { seq, thread, site, stack, address, size },
    frames,
    evidence: [],
    count: 1,
    fingerprint: fingerprintOf(readsNothingRule.id, own),
  };
}
