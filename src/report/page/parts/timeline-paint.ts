/** Paints a timeline on a canvas: what is in sight and nothing else, each pixel once, so that length does not matter. */
import { columnAt, type LaidOut, type Risk, type ShownEvent } from "../model/timeline.ts";
import type { View } from "../model/view.ts";

export const headHeight = 26;
export const laneHeight = 34;
export const timelineHeight = (lanes: number): number => headHeight + Math.max(1, lanes) * laneHeight + 6;

export type Colours = Readonly<
  Record<"ink" | "faint" | "rule" | "raised" | "band" | "risk" | "lost" | "kept" | "durable", string>
>;

export interface Picture {
  readonly layout: LaidOut;
  readonly view: View;
  readonly width: number;
  readonly selected: number;
  readonly hovered: number | undefined;
  readonly colours: Colours;
}

const cutLabelWidth = 72;
const middleOf = (lane: number): number => headHeight + lane * laneHeight + laneHeight / 2;

const fateColour = { durable: "durable", kept: "kept", lost: "lost", open: "faint" } as const;

/** The first risk that may reach into a column. */
function firstRisk(risks: readonly Risk[], column: number): number {
  let [low, high] = [0, risks.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (risks[middle]![1] <= column) low = middle + 1;
    else high = middle;
  }
  return low;
}

class Painter {
  readonly #to: CanvasRenderingContext2D;
  readonly #picture: Picture;
  readonly #from: number;
  readonly #end: number;

  constructor(to: CanvasRenderingContext2D, picture: Picture) {
    this.#to = to;
    this.#picture = picture;
    const { view, width, layout } = picture;
    this.#from = Math.max(0, Math.floor(view.start) - 1);
    this.#end = Math.min(layout.events.length, Math.ceil(view.start + width / view.scale) + 1);
  }

  #x(column: number): number {
    const { view } = this.#picture;
    return (column - view.start) * view.scale;
  }

  #fill(colour: keyof Colours, x: number, y: number, width: number, height: number): void {
    this.#to.fillStyle = this.#picture.colours[colour];
    this.#to.fillRect(x, y, width, height);
  }

  lanes(): void {
    const { layout, width } = this.#picture;
    for (const [lane, risks] of layout.risks.entries()) {
      const y = middleOf(lane);
      this.#fill("band", 0, y - 11, width, 22);
      for (let at = firstRisk(risks, this.#from), drawn = -1; at < risks.length; at++) {
        const [from, to] = risks[at]!;
        if (from >= this.#end) break;
        const [left, right] = [Math.max(0, this.#x(from)), Math.min(width, this.#x(to))];
        if (right <= drawn) continue;
        this.#fill("risk", left, y - 11, Math.max(1, right - left), 22);
        drawn = Math.floor(right);
      }
    }
  }

  /** A mark at most once a pixel: the newer ones of a crowd are hidden anyway. */
  marks(): void {
    const { layout, view } = this.#picture;
    const last = new Map<string, number>();
    const pixels = Math.max(1, Math.min(3, view.scale));
    for (let column = this.#from; column < this.#end; column++) {
      const event = layout.events[column]!;
      const x = Math.floor(this.#x(column + 0.5));
      const key = `${event.kind} ${event.kind === "fence" ? "" : event.line} ${layout.fates[column] ?? ""}`;
      if (x - (last.get(key) ?? Number.NEGATIVE_INFINITY) < pixels && view.scale < 6) continue;
      last.set(key, x);
      this.#mark(event, column, this.#x(column + 0.5));
    }
  }

  #mark(event: ShownEvent, column: number, x: number): void {
    const { layout, view } = this.#picture;
    const size = Math.max(1, Math.min(6, view.scale * 0.36));
    if (event.kind === "fence") {
      // Where fences are many, whole lines would hide everything else.
      const height = view.scale < 4 ? 4 : layout.risks.length * laneHeight + 4;
      this.#fill("rule", x - 0.75, headHeight - 4, Math.min(1.5, view.scale), height);
      return;
    }
    const y = middleOf(event.line);
    if (event.kind === "store") {
      const fate = layout.fates[column] ?? "open";
      this.#fill(fateColour[fate], x - size, y - Math.max(4, size), size * 2, Math.max(4, size) * 2);
      if (fate === "lost" && size > 4) this.#cross(x, y, size);
      return;
    }
    this.#triangle(x, y, size);
  }

  #cross(x: number, y: number, size: number): void {
    const { colours } = this.#picture;
    const to = this.#to;
    to.strokeStyle = colours.band;
    to.lineWidth = 1.6;
    to.beginPath();
    for (const way of [1, -1]) {
      to.moveTo(x - size + 2, y - way * (size - 2));
      to.lineTo(x + size - 2, y + way * (size - 2));
    }
    to.stroke();
  }

  #triangle(x: number, y: number, size: number): void {
    const to = this.#to;
    to.fillStyle = this.#picture.colours.ink;
    to.beginPath();
    to.moveTo(x - size, y - size);
    to.lineTo(x + size, y - size);
    to.lineTo(x, y + size);
    to.fill();
  }

  /** Fences by name, where there is room. */
  head(): void {
    const { layout, colours, view } = this.#picture;
    if (view.scale < 10) return;
    const cut = layout.cut === undefined ? Number.NEGATIVE_INFINITY : this.#x(layout.cut);
    this.#to.font = "11px system-ui, sans-serif";
    this.#to.textAlign = "center";
    this.#to.fillStyle = colours.faint;
    let free = Number.NEGATIVE_INFINITY;
    for (let column = this.#from; column < this.#end; column++) {
      const event = layout.events[column]!;
      if (event.kind !== "fence") continue;
      const x = this.#x(column + 0.5);
      const half = this.#to.measureText(event.op).width / 2;
      if (x - half < free || Math.abs(x - cut) < half + cutLabelWidth / 2 + 4) continue;
      this.#to.fillText(event.op, x, 14);
      free = x + half + 8;
    }
  }

  /** The line of the cut; what comes after it did not happen, and is pale. */
  cut(): void {
    const { layout, width } = this.#picture;
    if (layout.cut === undefined) return;
    const x = this.#x(layout.cut);
    const bottom = headHeight + layout.risks.length * laneHeight;
    if (x < width) {
      this.#to.globalAlpha = 0.6;
      this.#fill("raised", Math.max(0, x), headHeight - 4, width, bottom);
      this.#to.globalAlpha = 1;
    }
    if (x < -40 || x > width + 40) return;
    this.#fill("lost", x - 1, 18, 2, bottom - 18);
    this.#to.font = "600 11px system-ui, sans-serif";
    const half = cutLabelWidth / 2;
    const centre = Math.max(half, Math.min(width - half, x));
    this.#fill("lost", centre - half, 0, half * 2, 18);
    this.#to.fillStyle = this.#picture.colours.band;
    this.#to.textAlign = "center";
    this.#to.fillText("power cut", centre, 13);
  }

  cursor(column: number, colour: keyof Colours): void {
    const { layout, view } = this.#picture;
    const wide = Math.max(3, view.scale);
    this.#to.strokeStyle = this.#picture.colours[colour];
    this.#to.lineWidth = 1.5;
    const x = this.#x(column + 0.5) - wide / 2;
    this.#to.strokeRect(x, headHeight - 2, wide, layout.risks.length * laneHeight + 4);
  }
}

export function paint(canvas: HTMLCanvasElement, picture: Picture): void {
  const { width, layout, selected, hovered } = picture;
  const ratio = window.devicePixelRatio || 1;
  const height = timelineHeight(layout.risks.length);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const to = canvas.getContext("2d");
  if (to === null) return;
  to.scale(ratio, ratio);
  const painter = new Painter(to, picture);
  painter.lanes();
  painter.marks();
  painter.head();
  painter.cut();
  if (hovered !== undefined && hovered !== selected) painter.cursor(hovered, "faint");
  if (selected >= 0) painter.cursor(selected, "ink");
}

/** The column under a pixel; undefined outside. */
export function columnUnder({ events }: LaidOut, view: View, pixel: number): number | undefined {
  const column = Math.floor(view.start + pixel / view.scale);
  return column >= 0 && column < events.length ? column : undefined;
}

/** The column of an event, if the timeline has it. */
export function columnOfEvent({ events }: LaidOut, event: number | undefined): number | undefined {
  if (event === undefined) return undefined;
  const column = columnAt(events, event);
  return events[column]?.event === event ? column : undefined;
}
