/** Loads that could read several stores, in words: the load, each store with why it is open, and the lines' timelines. */
import type * as document from "../document/index.ts";
import { baseName, eventWord } from "../document/index.ts";
import { whereText } from "./place-text.ts";
import { rangeText, writeText } from "./write-text.ts";

/** Events of all lines together that words tell of. */
const mostEvents = 48;

type Where = (place: number) => string;

const whyWords: Readonly<Record<document.ReadCandidate["why"], (flush: string) => string>> = {
  persisted: () => "sure to be there",
  "never-flushed": () => "its line is never flushed",
  "flushed-before": (flush) => `its line is flushed before it${flush}, not after it`,
  "not-fenced": (flush) => `flushed${flush}, not fenced`,
  "fenced-elsewhere": (flush) => `flushed${flush}, fenced by another thread only`,
  "other-line": (flush) => `the flush behind it${flush} is of another line`,
};

function candidateLine({ write, why, flush, seen }: document.ReadCandidate, where: Where): string {
  const what = write === undefined ? "what was there before" : `${writeText(write)}, stored at ${where(write.place)}`;
  const at = flush === undefined ? "" : ` at ${where(flush.place)}`;
  return `${seen === true ? "=>" : "- "} ${what}: ${whyWords[why](at)}`;
}

function readLines(read: document.RecoveryRead, where: Where): readonly string[] {
  const { place, name, fatal, candidates = [] } = read;
  const what = name ?? rangeText(read);
  const led = fatal === true ? " (this led to the failure)" : "";
  return [
    `recovery reads ${what} at ${where(place)}, of ${candidates.length} that it could see${led}:`,
    ...candidates.map((candidate) => `  ${candidateLine(candidate, where)}`),
  ];
}

/** One line for each line of memory: what happened to it, in order, up to the power cut. */
function timelineLines({ lines, events: all, cut, omitted = 0 }: document.Timeline, where: Where): readonly string[] {
  const before = all.filter(({ event }) => cut === undefined || event < cut);
  const events = before.slice(-mostEvents);
  const untold = omitted + before.length - events.length;
  const begins = untold > 0 ? `${untold} events, ` : "";
  return lines.map(({ file = "", index = 0 }, at) => {
    const own = events.filter((event) => !("line" in event) || event.line === at);
    const words = toldOnce(own.map((event) => eventText(event, where)));
    return `line ${index} of ${baseName(file)}: ${begins}${words.join(", ")}, power cut`;
  });
}

function eventText(event: document.TimelineEvent, where: Where): string {
  if (event.kind === "durable") return "durable so far";
  const what = event.kind === "store" ? `store ${event.fate ?? ""}`.trim() : eventWord(event.op);
  return `${what} (${where(event.place)})`;
}

/** A call such as snprintf stores byte by byte: the same words in a row are told with their number. */
function toldOnce(words: readonly string[]): readonly string[] {
  const runs: { readonly text: string; count: number }[] = [];
  for (const text of words) {
    const last = runs.at(-1);
    if (last?.text === text) last.count++;
    else runs.push({ text, count: 1 });
  }
  return runs.map(({ text, count }) => (count === 1 ? text : `${text} ${count} times`));
}

/** Reads of which nobody said what else they could see are the page's to show. */
export function openStory(report: document.Report, { reads = [], timeline }: document.Finding): readonly string[] {
  const where = (place: number) => whereText(report, place);
  const open = reads.filter(({ candidates }) => candidates !== undefined);
  if (open.length === 0) return [];
  return [
    ...open.flatMap((read) => readLines(read, where)),
    ...(timeline === undefined ? [] : timelineLines(timeline, where)),
  ];
}
