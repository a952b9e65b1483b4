/** The timeline of the lines concerned: a picture, and its events as a list; the address names the chosen one. */
import { useMemo } from "preact/hooks";
import type * as data from "../../document/index.ts";
import { useShared } from "../context.ts";
import { layOut } from "../model/timeline.ts";
import { plural } from "../model/words.ts";
import { Section } from "./bits.tsx";
import { EventRow } from "./timeline-events.tsx";
import { columnOfEvent } from "./timeline-paint.ts";
import { Picture } from "./timeline-picture.tsx";
import { VirtualList } from "./virtual-list.tsx";

const Legend = () => (
  <p class="legend" aria-hidden="true">
    <span class="key store-durable">durable</span>
    <span class="key store-kept">kept</span>
    <span class="key store-lost">lost</span>
    <span class="key flush">flush</span>
    <span class="key fence">fence</span>
    <span class="key at-risk">a crash may lose it</span>
  </p>
);

export function Timeline(props: {
  readonly timeline: data.Timeline;
  readonly fingerprint: string;
  /** The event that is looked at first; without one, the last before the power cut. */
  readonly first?: number | undefined;
}) {
  const { timeline, fingerprint, first } = props;
  const { route, go } = useShared();
  const layout = useMemo(() => layOut(timeline), [timeline]);
  const linked = columnOfEvent(layout, route.event) ?? columnOfEvent(layout, first);
  const selected = linked ?? Math.min(layout.events.length, layout.cut ?? layout.events.length) - 1;
  const select = (column: number) => {
    const event = layout.events[column];
    if (event !== undefined) go({ view: "findings", fingerprint, event: event.event }, "replace");
  };
  return (
    <Section id="timeline" title="Timeline" aside={<Legend />}>
      {timeline.omitted !== undefined && (
        <p class="faint omitted">{plural(timeline.omitted, "earlier event")} of these lines left out.</p>
      )}
      <Picture layout={layout} selected={selected} onSelect={select} />
      <VirtualList
        id="events"
        label="Events of the timeline"
        count={layout.events.length}
        rowHeight={28}
        mostRows={8}
        selected={selected}
        onSelect={select}
        row={(at) => <EventRow layout={layout} column={at} />}
      />
    </Section>
  );
}
