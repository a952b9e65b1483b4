/**
 * A timeline laid out: events side by side in their order, a lane for each line of memory. Always:
 * - Stores, flushes and fences have a column each; that something became durable belongs to the column it happened at.
 * - A line is at risk from its first store that is not surely durable until the last one is.
 * - What the report says of a store's fate holds; else it is durable if it became so before the power was cut.
 */
import type * as document from "../../document/index.ts";

export type ShownEvent = Exclude<document.TimelineEvent, document.TimelineDurable>;
export type Fate = "durable" | "kept" | "lost" | "open";

/** Columns from the first to before the second in which a crash may lose something of the line. */
export type Risk = readonly [from: number, to: number];

export interface LaidOut {
  readonly lines: readonly document.TimelineLine[];
  readonly events: readonly ShownEvent[];
  /** Of each event that is a store. */
  readonly fates: readonly (Fate | undefined)[];
  /** By lane, in order. */
  readonly risks: readonly (readonly Risk[])[];
  /** The power is cut before this column; it may be the one behind the last. */
  readonly cut: number | undefined;
}

interface Lane {
  readonly risks: Risk[];
  /** Columns of stores; from `first` on a crash may lose them. */
  readonly stores: number[];
  first: number;
  since: number;
}

/** The first column at or after an event's position. */
export function columnAt(events: readonly { readonly event: number }[], event: number): number {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events[middle]!.event < event) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Layout {
  readonly events: ShownEvent[] = [];
  readonly fates: (Fate | undefined)[] = [];
  readonly lanes: Lane[];
  readonly #cut: number;

  constructor(lines: number, cut: number) {
    this.#cut = cut;
    this.lanes = Array.from({ length: lines }, () => ({ risks: [], stores: [], first: 0, since: 0 }));
  }

  add(event: ShownEvent): void {
    const column = this.events.push(event) - 1;
    this.fates.push(event.kind === "store" ? (event.fate ?? "open") : undefined);
    const lane = event.kind === "store" ? this.lanes[event.line] : undefined;
    if (lane === undefined) return;
    if (lane.first === lane.stores.length) lane.since = column;
    lane.stores.push(column);
  }

  durable({ line, through, event }: document.TimelineDurable): void {
    const lane = this.lanes[line];
    if (lane === undefined || lane.first === lane.stores.length) return;
    for (; lane.first < lane.stores.length; lane.first++) {
      const column = lane.stores[lane.first]!;
      if (this.events[column]!.event > through) return;
      if (this.fates[column] === "open" && event < this.#cut) this.fates[column] = "durable";
    }
    lane.risks.push([lane.since, this.events.length]);
  }

  end(): void {
    for (const { risks, stores, first, since } of this.lanes)
      if (first < stores.length) risks.push([since, this.events.length]);
  }
}

export function layOut({ lines, events, cut }: document.Timeline): LaidOut {
  const layout = new Layout(lines.length, cut ?? Number.POSITIVE_INFINITY);
  for (const event of events)
    if (event.kind === "durable") layout.durable(event);
    else layout.add(event);
  layout.end();
  return {
    lines,
    events: layout.events,
    fates: layout.fates,
    risks: layout.lanes.map(({ risks }) => risks),
    cut: cut === undefined ? undefined : columnAt(layout.events, cut),
  };
}

export const fateWords: Readonly<Record<Fate, string>> = {
  durable: "surely durable",
  kept: "kept by this crash",
  lost: "lost in this crash",
  open: "not surely durable",
};

/** A line of memory: its name, or where it lies. */
export function lineName(line: document.TimelineLine | undefined, at: number): string {
  if (line?.name !== undefined) return line.name;
  if (line?.index !== undefined) return `+0x${(line.index * 64).toString(16)}`;
  return line?.address ?? `line ${at}`;
}
