/** What a report says of the lines that a finding is about, of what recovery read, and of how recoveries part. */

import type { FindingHistory, LineHistory, ReadFacts, RecoveryWays } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { endOf } from "./crash-part.ts";
import { eventPlace, hexBytes, known, type PlaceTable } from "./place-table.ts";
import { timelineOf } from "./timeline-part.ts";
import { commonName } from "./write-text.ts";

const lineBytes = 64;
/** Recoveries part at aligned four bytes. */
const halfBytes = 4;

const readsOf = ({ reads }: ReadFacts, places: PlaceTable): readonly document.RecoveryRead[] =>
  reads.map((read) =>
    known<document.RecoveryRead>({
      ...eventPlace(read, places),
      file: read.path,
      offset: read.offset,
      size: read.bytes.length,
      bytes: hexBytes([...read.bytes]),
      name: commonName(read.names),
      number: read.number,
      store: read.store,
      lost: read.lost,
      fatal: read.fatal,
    }),
  );

/** What lies at an offset, by the names of stores there that the timeline tells of. */
function nameAt({ lines, events }: LineHistory, path: string, offset: number): string | undefined {
  const line = lines.findIndex((each) => each.path === path && each.index === Math.floor(offset / lineBytes));
  const at = offset % lineBytes;
  const names = events.flatMap((event) =>
    event.kind === "store" && event.line === line && event.offset < at + halfBytes && at < event.offset + event.size
      ? (event.name ?? [])
      : [],
  );
  return commonName(names);
}

function treeOf(
  { read, verdict, fails, states, ways }: RecoveryWays,
  timeline: LineHistory | undefined,
): document.RecoveryNode {
  return known<document.RecoveryNode>({
    choices: [],
    cut: undefined,
    read:
      read &&
      known<document.ReadBytes>({
        file: read.path,
        offset: read.offset,
        size: read.bytes.length,
        bytes: hexBytes([...read.bytes]),
        name: timeline && nameAt(timeline, read.path, read.offset),
      }),
    verdict: verdict && endOf(verdict),
    fails,
    states,
    children: ways.map((way) => treeOf(way, timeline)),
  });
}

/** None where nobody asked for it. */
export function historyPart({ timeline, reads, tree }: FindingHistory = {}, places: PlaceTable) {
  return {
    ...(timeline && { timeline: timelineOf(timeline, places) }),
    ...(reads && reads.reads.length > 0 && { reads: readsOf(reads, places) }),
    ...(reads && reads.others > 0 && { otherReads: reads.others }),
    ...(tree && { tree: treeOf(tree, timeline) }),
  };
}
