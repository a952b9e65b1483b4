/** What a report says of loads that could read several stores: the loads, their candidates, and what happened to the lines. */

import type { CandidateFact, OpenReads, ReadFact } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { eventPlace, hexBytes, known, type PlaceTable } from "./place-table.ts";
import { timelineOf } from "./timeline-part.ts";
import { writesOf } from "./writes.ts";

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
    bytes: hexBytes([...bytes]),
    name: newer?.name,
    store: seen?.mark.seq,
    lost: newer === seen ? undefined : newer?.mark.seq,
    fatal,
    candidates: candidates.map((candidate) => candidateOf(candidate, places)),
  });
}

export const openPart = ({ reads, timeline }: OpenReads, places: PlaceTable) => ({
  reads: reads.map((read) => readOf(read, places)),
  ...(timeline.lines.length > 0 && { timeline: timelineOf(timeline, places) }),
});
