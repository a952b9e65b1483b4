/**
 * The slow twin of the crash walk: at a failure point it looks at the whole list of events before it and works every line
 * out from the beginning, straight from docs/MODEL.md §2.
 */
import type { TraceEvent } from "../../src/trace/events/index.ts";

export interface SlowLine {
  readonly line: number;
  readonly persisted: readonly number[];
  readonly full: readonly number[];
  readonly pending: readonly number[];
}

const fences = new Set(["sfence", "mfence", "locked"]);
const isStore = (event: TraceEvent) => event.kind === "store" || event.kind === "non-temporal";
const lineOf = (event: TraceEvent) => ("address" in event ? Math.floor(event.address / 64) : -1);

/** Sequence numbers of stores to a line that are surely persisted once all of `events` took effect. */
function persistedStores(events: readonly TraceEvent[], line: number): ReadonlySet<number> {
  const stores = events.filter((event) => isStore(event) && lineOf(event) === line);
  const bounds = events.map((event, at) => {
    const fenced = events.slice(at + 1).some((later) => fences.has(later.kind) && later.thread === event.thread);
    if (event.kind === "msync")
      return event.start < 64 * line + 64 && event.start + event.length > 64 * line ? event.seq : -1;
    if (lineOf(event) !== line) return -1;
    if (event.kind === "clflush") return event.seq;
    const flushes = event.kind === "clwb" || event.kind === "clflushopt" || event.kind === "non-temporal";
    return flushes && fenced ? event.seq : -1;
  });
  const bound = Math.max(-1, ...bounds);
  return new Set(stores.filter(({ seq }) => seq <= bound).map(({ seq }) => seq));
}

function contents(events: readonly TraceEvent[], keep: (seq: number) => boolean): readonly number[] {
  const bytes = new Array<number>(64).fill(0);
  for (const event of events)
    if ((event.kind === "store" || event.kind === "non-temporal") && keep(event.seq))
      for (let i = 0; i < event.size; i++)
        bytes[(event.address % 64) + i] = Number((event.value >> BigInt(8 * i)) & 0xffn);
  return bytes;
}

/** Every line that was stored to, after exactly these events. */
export function slowLines(events: readonly TraceEvent[]): readonly SlowLine[] {
  const lines = [...new Set(events.filter(isStore).map(lineOf))].sort((a, b) => a - b);
  return lines.map((line) => {
    const persisted = persistedStores(events, line);
    const own = events.filter((event) => isStore(event) && lineOf(event) === line);
    return {
      line,
      persisted: contents(own, (seq) => persisted.has(seq)),
      full: contents(own, () => true),
      pending: own.filter(({ seq }) => !persisted.has(seq)).map(({ seq }) => Number(seq)),
    };
  });
}

/** Positions before which a crash is considered, with the same place counted each time. */
export function slowPoints(events: readonly TraceEvent[], kinds: ReadonlySet<string>): readonly number[] {
  const points: number[] = [];
  for (let at = 0; at <= events.length; at++) {
    const event = events[at];
    if (event !== undefined && !kinds.has(event.kind)) continue;
    if (event?.kind === "output" && event.stream !== 1) continue;
    const since = at === events.length ? events : events.slice(points.at(-1) ?? 0, at);
    const isPromise = (each: TraceEvent) => each.kind === "output" && each.stream === 1;
    const promised = since.some(isPromise) && events.slice(0, since.findLast(isPromise)!.seq).some(isStore);
    if (since.some(isStore) || promised) points.push(at);
  }
  return points;
}
