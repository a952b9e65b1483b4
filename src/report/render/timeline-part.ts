/** What happened to lines of persistent memory, as a report tells it. */

import type { HistoryEvent, HistoryStore, LineHistory } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { eventPlace, hexBytes, known, type PlaceTable } from "./place-table.ts";
import { commonName } from "./write-text.ts";

const valueBytes = ({ size, value }: HistoryStore): string =>
  hexBytes(Array.from({ length: size }, (_, at) => Number((value >> BigInt(8 * at)) & 0xffn)));

function eventOf(event: HistoryEvent, places: PlaceTable): document.TimelineEvent {
  if (event.kind === "durable") {
    const { kind, seq, line, through } = event;
    return { kind, event: seq, line, through };
  }
  const at = eventPlace(event, places);
  if (event.kind === "fence") return { kind: "fence", op: event.op, ...at };
  if (event.kind === "flush") return { kind: "flush", op: event.op, line: event.line, ...at };
  const { kind, line, offset, size, name, number, fate, nonTemporal } = event;
  return known<document.TimelineStore>({
    kind,
    ...at,
    line,
    offset,
    size,
    bytes: valueBytes(event),
    name,
    number,
    nonTemporal: nonTemporal || undefined,
    fate,
  });
}

/** What is stored to a line: what the names of its stores have in common, or the first of them. */
function nameOfLine({ events }: LineHistory, line: number): string | undefined {
  const names = events.flatMap((event) => (event.kind === "store" && event.line === line ? (event.name ?? []) : []));
  return commonName(names) ?? names[0];
}

export function timelineOf(history: LineHistory, places: PlaceTable): document.Timeline {
  const { lines, events, cut, omitted } = history;
  return known<document.Timeline>({
    lines: lines.map(({ path: file, index }, line) =>
      known<document.TimelineLine>({ file, index, address: undefined, name: nameOfLine(history, line) }),
    ),
    events: events.map((event) => eventOf(event, places)),
    cut,
    omitted: omitted === 0 ? undefined : omitted,
  });
}
