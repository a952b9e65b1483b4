/** Events of a timeline in words: the one that is looked at, and rows of the list. */
import { shownFrame } from "../../document/index.ts";
import { useShared } from "../context.ts";
import { sourceLine } from "../model/source.ts";
import { fateWords, type LaidOut, lineName, type ShownEvent } from "../model/timeline.ts";
import { lineText, plural, valueText } from "../model/words.ts";
import { Code, PlaceName } from "./bits.tsx";

/** "store 8 bytes of log->len, lost in this crash". */
export function eventWords(layout: LaidOut, column: number): string {
  const event = layout.events[column]!;
  if (event.kind === "fence") return event.op;
  const line = lineName(layout.lines[event.line], event.line);
  if (event.kind === "flush") return `${event.op} of ${line}`;
  const what = event.name ?? `${line} byte ${event.offset}`;
  const fate = layout.fates[column];
  return `${event.nonTemporal ? "non-temporal store" : "store"} of ${plural(event.size, "byte")} to ${what}${fate === undefined ? "" : `, ${fateWords[fate]}`}`;
}

export function EventDetail({ layout, column }: { readonly layout: LaidOut; readonly column: number }) {
  const { report } = useShared();
  const event: ShownEvent | undefined = layout.events[column];
  if (event === undefined) return <p class="event-detail faint">Choose an event to see what it did.</p>;
  const frame = shownFrame(report, event.place);
  const text = frame && sourceLine(report, frame);
  return (
    <div class="event-detail">
      <div>
        <b>event {event.event}</b> {eventWords(layout, column)}
        {event.kind === "store" && event.bytes !== undefined && (
          <>
            {" = "}
            <code>{valueText(event)}</code>
          </>
        )}
        <span class="faint"> thread {event.thread}</span>
      </div>
      <div>
        <PlaceName place={event.place} />
        {text !== undefined && (
          <code class="one-line">
            <Code text={text.trim()} />
          </code>
        )}
      </div>
    </div>
  );
}

export function EventRow({ layout, column }: { readonly layout: LaidOut; readonly column: number }) {
  const { report } = useShared();
  const event = layout.events[column]!;
  const fate = layout.fates[column];
  const frame = shownFrame(report, event.place);
  const lane = event.kind === "fence" ? "" : lineName(layout.lines[event.line], event.line);
  return (
    <div class="event-row">
      <span class="event-number">{event.event}</span>
      <span class={`event-kind ${fate ?? event.kind}`}>{event.kind === "store" ? "store" : event.op}</span>
      <code class="event-what">{event.kind === "store" ? (event.name ?? lane) : lane}</code>
      <code class="event-value">{event.kind === "store" ? valueText(event) : ""}</code>
      <span class="event-fate">{fate === undefined ? "" : fate === "open" ? "" : fate}</span>
      <code class="event-place">{frame === undefined ? "" : lineText(frame)}</code>
    </div>
  );
}
