/** What stores of a trace are called, from debug information: for the few that a finding tells of. */

import { outsideTheSystem, statementOf } from "../../crash/finding/index.ts";
import type { Mappings } from "../../model/pmem/index.ts";
import { type StoreName, StoreNames } from "../../program/symbols/index.ts";
import { eventsBetween, type Trace, type TraceEvent } from "../../trace/events/index.ts";
import type { Places } from "./places.ts";

type StoreEvent = TraceEvent & { readonly kind: "store" | "non-temporal" };

export interface NamedStore {
  /** In the guest. */
  readonly address: number;
  /** `log->rec[2].text`; undefined where debug information does not say. */
  readonly name: string | undefined;
  readonly number?: StoreName["number"];
}

/** Events before a store among which the beginning of its call's stores is looked for. */
const looksBack = 512;

const isStore = (event: TraceEvent): event is StoreEvent => event.kind === "store" || event.kind === "non-temporal";

/** A guess counts where the address itself led to an object around it: better no name than a wrong one. */
const nameOf = ({ text, rooted, confidence }: StoreName): string | undefined =>
  confidence !== "guess" ? text : rooted === text ? undefined : rooted;

export class NamedStores {
  readonly #places: Places;
  readonly #trace: Trace;
  readonly #names: StoreNames;
  readonly #known = new Map<number, NamedStore | undefined>();

  constructor(places: Places, trace: Trace) {
    this.#places = places;
    this.#trace = trace;
    // Libraries are not analysed, even with debug information: what counts is what the user's code passed them.
    const isUsers = (pc: number) => outsideTheSystem(places.modules.at(pc)?.path ?? "/usr/");
    this.#names = new StoreNames({ codeAt: (pc) => (isUsers(pc) ? places.resolver.codeAt(pc) : undefined) });
  }

  /** The store that is event `seq`; undefined when that is none. `mappings` are those of then, or of soon after. */
  at(seq: number, mappings: Pick<Mappings, "around">): NamedStore | undefined {
    if (!this.#known.has(seq)) this.#known.set(seq, this.#find(seq, mappings));
    return this.#known.get(seq);
  }

  #find(seq: number, mappings: Pick<Mappings, "around">): NamedStore | undefined {
    const events = [...eventsBetween(this.#trace, Math.max(0, seq - looksBack), seq + 1)];
    const event = events.at(-1);
    if (event === undefined || !isStore(event)) return undefined;
    const { site, stack, address, size } = event;
    const mapping = mappings.around(address);
    const found = this.#names.name({
      site,
      stack: this.#trace.tables.contexts.stack(stack),
      address,
      size,
      start: this.#startOf(event, events),
      ...(mapping && { mapping }),
    });
    const name = found && nameOf(found);
    return { address, name, ...(name !== undefined && found?.number && { number: found.number }) };
  }

  /** The first byte of the stores, without a gap, that the same statement of the user's made. */
  #startOf(event: StoreEvent, events: readonly TraceEvent[]): number {
    let start = event.address;
    const call = this.#callOf(event);
    for (let at = events.length - 2; at >= 0; at--) {
      const earlier = events[at]!;
      if (earlier.thread !== event.thread) continue;
      if (!isStore(earlier) || this.#callOf(earlier) !== call) break;
      if (earlier.address <= start && earlier.address + earlier.size >= start) start = earlier.address;
    }
    return start;
  }

  #callOf({ site, stack }: TraceEvent): string {
    return statementOf(this.#places.resolver.frames(site, stack), outsideTheSystem);
  }
}
