/** What a report says of loads that could read several stores: the loads, their candidates, and what happened to the lines. */
import type * as document from "../document/index.ts";
import type { CandidateFact, OpenReads, PlacedMark, ReadFact, TimelineFact } from "../finding/index.ts";
import { known, type PlaceTable } from "./place-table.ts";
import { writesOf } from "./writes.ts";

const eventPlace = ({ mark, frames }: PlacedMark, places: PlaceTable): document.EventPlace => ({
  event: mark.seq,
  thread: mark.thread,
  place: places.add(frames),
});

const hexBytes = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("");

const candidateOf = ({ store, why, flush, seen }: CandidateFact, places: PlaceTable): document.ReadCandidate =>
  known<document.ReadCandidate>({
    write: store && writesOf([store], places)[0]!,
    why,
    flush: flush && eventPlace(flush, places),
    seen,
  });

/** A load of which nobody knows where it is made is told at the place of what it saw. */
function readOf({ load, path, offset, bytes, candidates, fatal }: ReadFact, places: PlaceTable): document.RecoveryRead {
  const seen = candidates.find((candidate) => candidate.seen)?.store;
  const newer = candidates.at(-1)?.store;
  return known<document.RecoveryRead>({
    ...eventPlace(load ?? seen ?? newer!, places),
    file: path,
    offset,
    size: bytes.length,
    bytes: hexBytes(bytes),
    name: newer?.name,
    store: seen?.mark.seq,
    lost: newer === seen ? undefined : newer?.mark.seq,
    fatal,
    candidates: candidates.map((candidate) => candidateOf(candidate, places)),
  });
}

const lineBytes = 64;

function timelineEvent(each: TimelineFact["events"][number], places: PlaceTable): document.TimelineEvent {
  const { kind, op, line = 0, fate, through = 0, mark } = each;
  const own = eventPlace(each, places);
  if (kind === "durable") return { kind, event: mark.seq, line, through };
  if (kind === "fence") return { kind, ...own, op: op as document.TimelineFence["op"] };
  if (kind === "flush") return { kind, ...own, op: op as document.TimelineFlush["op"], line };
  return known<document.TimelineStore>({
    kind,
    ...own,
    line,
    offset: (mark.address ?? 0) % lineBytes,
    size: mark.size ?? 0,
    nonTemporal: op === "non-temporal" ? true : undefined,
    fate,
  });
}

function timelineOf({ lines, events, cut, omitted }: TimelineFact, places: PlaceTable): document.Timeline {
  return {
    lines: lines.map(({ path, index }) => ({ file: path, index })),
    events: events.map((event) => timelineEvent(event, places)),
    cut,
    ...(omitted > 0 && { omitted }),
  };
}

export const openPart = ({ reads, timeline }: OpenReads, places: PlaceTable) => ({
  reads: reads.map((read) => readOf(read, places)),
  ...(timeline.lines.length > 0 && { timeline: timelineOf(timeline, places) }),
});
