/**
 * What a patched trace must be, worked out from the trace of the program as it is: behind the events of every execution of a
 * patched instruction come those of the patch. Knows nothing of lifting; where an execution ends it sees from the events.
 */

import type { CodePlace, Patch } from "../../src/machine/index.ts";
import type { TraceEvent, TraceTables } from "../../src/trace/events/index.ts";

/** An event as a line of text, without its number, and with the return sites of its stack in place of the context's number. */
export interface Shown {
  readonly text: string;
  readonly patch: number | undefined;
}

interface Place {
  readonly thread: number;
  readonly site: number;
  readonly sites: readonly number[];
}

function shown(
  { thread, site, sites }: Place,
  { patch, ...body }: { readonly patch?: number; readonly [name: string]: unknown },
): Shown {
  const fields = Object.entries(body).map(([name, value]) => `${name}=${value}`);
  const mark = patch === undefined ? "" : ` patch=${patch}`;
  return { text: `${thread} at ${site} below ${sites.join(" ")}: ${fields.toSorted(byText).join(" ")}${mark}`, patch };
}
const byText = (a: string, b: string): number => (a < b ? -1 : 1);

export function show({ seq: _, stack, thread, site, ...body }: TraceEvent, { contexts }: TraceTables): Shown {
  return shown({ thread, site, sites: contexts.stack(stack) }, body);
}

/** The first event that is not the other's, with what comes there. */
export function firstDifference(left: readonly Shown[], right: readonly Shown[]): string | undefined {
  for (let i = 0; i < Math.max(left.length, right.length); i++)
    if (left[i]?.text !== right[i]?.text) return `${i}: ${left[i]?.text} / ${right[i]?.text}`;
  return undefined;
}

interface Module {
  readonly path: string;
  readonly start: number;
  readonly offset: number;
  readonly length: number;
}

export const modulesOf = (events: readonly TraceEvent[]): readonly Module[] =>
  events.flatMap((event) => (event.kind === "map" && event.executable ? [event] : []));

export function placeOf(address: number, modules: readonly Module[]): CodePlace {
  const module = modules.find(({ start, length }) => start <= address && address < start + length)!;
  return { module: module.path, offset: address - module.start + module.offset };
}
const addressOf = ({ module, offset }: CodePlace, modules: readonly Module[]): number => {
  const found = modules.find((one) => one.path === module && offset >= one.offset && offset < one.offset + one.length)!;
  return found.start + offset - found.offset;
};

const isStore = (event: TraceEvent): event is TraceEvent & { kind: "store" | "non-temporal" } =>
  event.kind === "store" || event.kind === "non-temporal";

/** Whether the next event is of the same execution of the same instruction; of a repeated string all in a row are. */
function goesOn(event: TraceEvent, next: TraceEvent | undefined, repeated: ReadonlySet<number>): boolean {
  if (!next || next.site !== event.site || next.thread !== event.thread || !isStore(next)) return false;
  return event.kind === "locked" || next.further === true || repeated.has(event.site);
}

const lineBytes = 64;

/** The lines of all stores of an execution, the first by the address of its first byte. */
function flushed(execution: readonly TraceEvent[]): readonly number[] {
  const stores = execution.filter(isStore);
  if (stores.length === 0) return [];
  const low = Math.min(...stores.map(({ address }) => address));
  const high = Math.max(...stores.map(({ address, size }) => address + size));
  const lines = [low];
  for (let line = low - (low % lineBytes) + lineBytes; line < high; line += lineBytes) lines.push(line);
  return lines;
}

interface HeldLine {
  readonly thread: number;
  readonly patch: number;
  readonly line: number;
  readonly flush: Shown;
}

/** Takes out what a thread holds of a patch: the last flush of each line, by line. */
function taken(held: HeldLine[], thread: number, patch: number): readonly Shown[] {
  const own = held.filter((one) => one.thread === thread && one.patch === patch);
  held.splice(0, held.length, ...held.filter((one) => !own.includes(one)));
  const lines = [...new Set(own.map(({ line }) => line))].toSorted((a, b) => a - b);
  return lines.map((line) => own.findLast((one) => one.line === line)!.flush);
}

export function expectedTrace(
  events: readonly TraceEvent[],
  tables: TraceTables,
  patches: readonly Patch[],
  repeated: ReadonlySet<number>,
): readonly Shown[] {
  const modules = modulesOf(events);
  const resolved = patches.map(({ insert, at, below, until }, patch) => ({
    kind: insert,
    patch,
    site: addressOf(at, modules),
    below: below && addressOf(below, modules),
    until: until?.map((one) => addressOf(one, modules)),
  }));
  const trace: Shown[] = [];
  const held: HeldLine[] = [];
  let execution: TraceEvent[] = [];
  for (const [i, event] of events.entries()) {
    if (execution.length === 0 && event.kind !== "mfence")
      for (const { patch, until } of resolved)
        if (until?.includes(event.site)) trace.push(...taken(held, event.thread, patch));
    trace.push(show(event, tables));
    execution.push(event);
    if (goesOn(event, events[i + 1], repeated)) continue;
    const { thread, site, stack } = event;
    const sites = tables.contexts.stack(stack);
    for (const { kind, patch, below, until, ...at } of resolved) {
      if (at.site !== site || (below !== undefined && !sites.includes(below))) continue;
      const place = { thread, site, sites };
      if (kind !== "sfence" && kind !== "mfence")
        for (const address of flushed(execution)) {
          const flush = shown(place, { kind, address, patch });
          if (until === undefined) trace.push(flush);
          else held.push({ thread, patch, line: Math.floor(address / lineBytes), flush });
        }
      else if (event.kind !== kind) trace.push(shown(place, { kind, patch }));
    }
    execution = [];
  }
  return trace;
}
