/** The picture of a timeline: hovering tells, dragging and the wheel move it, keys move the chosen event. */
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { onKey, useSize, useThemeTurn, useWheel } from "../hooks.ts";
import { type LaidOut, lineName } from "../model/timeline.ts";
import { firstView, moved, showing, type View, wholeView, zoomed } from "../model/view.ts";
import { rowAfterKey } from "../model/window.ts";
import { baseName } from "../model/words.ts";
import { EventDetail, eventWords } from "./timeline-events.tsx";
import { type Colours, columnUnder, headHeight, laneHeight, paint, timelineHeight } from "./timeline-paint.ts";

const colourNames = ["ink", "faint", "rule", "raised", "band", "risk", "lost", "kept", "durable"] as const;

/** The theme's colours as a canvas takes them. */
function coloursOf(element: HTMLElement): Colours {
  const probe = document.createElement("span");
  element.append(probe);
  const found = colourNames.map((name) => {
    probe.style.color = `var(--${name})`;
    return [name, getComputedStyle(probe).color] as const;
  });
  probe.remove();
  return Object.fromEntries(found) as Colours;
}

interface PictureProps {
  readonly layout: LaidOut;
  readonly selected: number;
  readonly onSelect: (column: number) => void;
}

/** The part in sight, and what changes it. It follows the chosen event. */
function useView(columns: number, width: number, selected: number) {
  const [view, setView] = useState<View>(() => firstView(columns, width, selected));
  const [room, setRoom] = useState(width);
  if (room !== width) {
    setRoom(width);
    setView(firstView(columns, width, selected));
  }
  useEffect(() => {
    if (selected >= 0) setView((before) => showing(before, selected, columns, width));
  }, [selected, columns, width]);
  return {
    view,
    zoom: (factor: number, pixel = width / 2) => setView((before) => zoomed(before, factor, pixel, columns, width)),
    shift: (pixels: number) => setView((before) => moved(before, pixels, columns, width)),
    whole: () => setView(wholeView(columns, width)),
  };
}

const zoomStep = 1.4;
const pageOfEvents = 10;
/** Keys of the timeline, and those of a list that do the same. */
const moves = {
  ArrowRight: "ArrowDown",
  ArrowLeft: "ArrowUp",
  ArrowDown: "ArrowDown",
  ArrowUp: "ArrowUp",
  Home: "Home",
  End: "End",
  PageDown: "PageDown",
  PageUp: "PageUp",
} as const;
const mapped = <From, To>(record: Readonly<Record<string, From>>, make: (from: From) => To): Record<string, To> =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, make(value)]));

/** What the pointer moves before it drags. */
const dragPixels = 4;

/** A press chooses what is under it, unless it dragged. */
function usePointer(shift: (pixels: number) => void, columnUnderPixel: (pixel: number) => number | undefined) {
  const [hovered, setHovered] = useState<number>();
  const drag = useRef<{ x: number; far: boolean }>();
  const handlers = (onSelect: (column: number) => void) => ({
    onPointerDown: ({ clientX }: PointerEvent) => {
      drag.current = { x: clientX, far: false };
    },
    onPointerMove: ({ clientX, offsetX, buttons }: PointerEvent) => {
      setHovered(columnUnderPixel(offsetX));
      const held = drag.current;
      if (held === undefined || buttons === 0) return;
      held.far ||= Math.abs(clientX - held.x) > dragPixels;
      if (!held.far) return;
      shift(held.x - clientX);
      held.x = clientX;
    },
    onPointerUp: ({ offsetX }: PointerEvent) => {
      const column = columnUnderPixel(offsetX);
      if (!drag.current?.far && column !== undefined) onSelect(column);
      drag.current = undefined;
    },
    onPointerLeave: () => setHovered(undefined),
  });
  return { hovered, handlers };
}

const LaneNames = ({ lines }: Pick<LaidOut, "lines">) => (
  <div class="lane-names" aria-hidden="true" style={{ paddingTop: `${headHeight}px` }}>
    {lines.map((line, at) => (
      <div key={at} style={{ height: `${laneHeight}px` }} title={line.file}>
        <code>{lineName(line, at)}</code>
        {line.file !== undefined && line.name !== undefined && <small>{baseName(line.file)}</small>}
      </div>
    ))}
  </div>
);

/** How much of the whole is in sight, and where. */
function Overview(props: { readonly view: View; readonly columns: number; readonly width: number }) {
  const { view, columns, width } = props;
  const seen = width / view.scale / columns;
  if (seen >= 1) return <div class="overview" aria-hidden="true" />;
  const style = { left: `${(100 * view.start) / columns}%`, width: `${Math.max(1, 100 * seen)}%` };
  return (
    <div class="overview" aria-hidden="true">
      <span style={style} />
    </div>
  );
}

const Tool = (props: { readonly name: string; readonly sign: string; readonly does: () => void }) => (
  <button type="button" class="quiet" aria-label={props.name} onClick={props.does}>
    {props.sign}
  </button>
);

export function Picture({ layout, selected, onSelect }: PictureProps) {
  const box = useRef<HTMLDivElement>(null);
  const canvas = useRef<HTMLCanvasElement>(null);
  const width = Math.max(120, useSize(box).width);
  const theme = useThemeTurn();
  const columns = layout.events.length + 1;
  const { view, zoom, shift, whole } = useView(columns, width, selected);
  const { hovered, handlers } = usePointer(shift, (pixel) => columnUnder(layout, view, pixel));
  useLayoutEffect(() => {
    if (canvas.current !== null && box.current !== null)
      paint(canvas.current, { layout, view, width, selected, hovered, colours: coloursOf(box.current) });
  }, [layout, view, width, selected, hovered, theme]);
  const onWheel = (event: WheelEvent) => {
    const sideways = event.deltaX || (event.shiftKey ? event.deltaY : 0);
    if (!event.ctrlKey && sideways === 0) return;
    event.preventDefault();
    if (event.ctrlKey) zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX);
    else shift(sideways);
  };
  useWheel(box, onWheel, [columns, width]);
  const closer = () => zoom(zoomStep);
  const farther = () => zoom(1 / zoomStep);
  const move = (key: string) => () => onSelect(rowAfterKey(key, selected, layout.events.length, pageOfEvents) ?? 0);
  const keys = { ...mapped(moves, move), "+": closer, "=": closer, "-": farther, "0": whole };
  const event = layout.events[selected];
  return (
    <div class="timeline-picture">
      <LaneNames lines={layout.lines} />
      <div
        ref={box}
        class="timeline-box"
        role="slider"
        tabIndex={0}
        aria-label="Timeline"
        aria-valuemin={0}
        aria-valuemax={Math.max(0, layout.events.length - 1)}
        aria-valuenow={Math.max(0, selected)}
        aria-valuetext={
          event === undefined ? "no event chosen" : `event ${event.event}, ${eventWords(layout, selected)}`
        }
        style={{ height: `${timelineHeight(layout.lines.length)}px` }}
        onKeyDown={onKey(keys)}
        {...handlers(onSelect)}
      >
        <canvas ref={canvas} />
      </div>
      <div class="timeline-tools">
        <Overview view={view} columns={columns} width={width} />
        <Tool name="Zoom in" sign="+" does={closer} />
        <Tool name="Zoom out" sign="−" does={farther} />
        <Tool name="Show the whole timeline" sign="All" does={whole} />
      </div>
      <EventDetail layout={layout} column={hovered ?? selected} />
    </div>
  );
}
