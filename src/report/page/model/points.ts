/** Failure points by source line and by the calls that lead there, added up. */
import type * as document from "../../document/index.ts";
import { bareName, framesOf, shownFrame, withoutStartUp } from "../../document/index.ts";
import { lineText } from "./words.ts";

export interface Sums {
  points: number;
  states: number;
  judged: number;
  failing: number;
}
export interface LineSums extends Readonly<Sums> {
  readonly frame: document.Frame | undefined;
  readonly title: string;
}
export interface CallNode extends Readonly<Sums> {
  readonly key: string;
  readonly title: string;
  readonly where: string;
  readonly library: boolean;
  /** Most states first. */
  readonly children: readonly CallNode[];
}

const none = (): Sums => ({ points: 0, states: 0, judged: 0, failing: 0 });
function addTo(sums: Sums, { states, judged, failing }: document.FailurePoint): void {
  sums.points++;
  sums.states += states;
  sums.judged += judged;
  sums.failing += failing;
}

/** The user's lines, those that fail most first. */
export function pointsByLine(report: document.Report): LineSums[] {
  const lines = new Map<string, { readonly frame: document.Frame | undefined; readonly sums: Sums }>();
  for (const point of report.coverage?.points ?? []) {
    const frame = point.before === "end" ? undefined : shownFrame(report, point.place);
    const key = frame === undefined ? "" : `${frame.file ?? frame.module} ${frame.line ?? frame.address}`;
    const known = lines.get(key) ?? { frame, sums: none() };
    lines.set(key, known);
    addTo(known.sums, point);
  }
  return [...lines.values()]
    .map(({ frame, sums }) => ({ ...sums, frame, title: frame === undefined ? programsEnd : lineText(frame) }))
    .sort((a, b) => b.failing - a.failing || b.states - a.states || (a.title < b.title ? -1 : 1));
}

/** Where the program is by then says nothing. */
const programsEnd = "the program's end";

interface Growing {
  readonly title?: string;
  readonly frame: document.Frame | undefined;
  readonly sums: Sums;
  readonly children: Map<string, Growing>;
}

const keyOf = ({ function: name, file, line, address }: document.Frame): string =>
  `${name ?? address} ${file ?? ""} ${line ?? ""}`;

function finished({ title, frame, sums, children }: Growing, key: string): CallNode {
  return {
    ...sums,
    key,
    title:
      title ??
      (frame === undefined
        ? "all failure points"
        : frame.function === undefined
          ? lineText(frame)
          : bareName(frame.function)),
    where: frame === undefined ? "" : lineText(frame),
    library: frame?.library ?? false,
    children: [...children]
      .map(([inner, child]) => finished(child, `${key}/${inner}`))
      .sort((a, b) => b.states - a.states || (a.title < b.title ? -1 : 1)),
  };
}

/** From the outermost call inward. What runs before main is left out. */
export function callTree(report: document.Report): CallNode {
  const root: Growing = { frame: undefined, sums: none(), children: new Map() };
  for (const point of report.coverage?.points ?? []) {
    addTo(root.sums, point);
    if (point.before === "end") {
      const end = root.children.get(programsEnd) ?? {
        title: programsEnd,
        frame: undefined,
        sums: none(),
        children: new Map(),
      };
      root.children.set(programsEnd, end);
      addTo(end.sums, point);
      continue;
    }
    const calls = withoutStartUp(framesOf(report, point.place)).toReversed();
    const first = calls.findIndex(({ library }) => !library);
    let node = root;
    for (const frame of calls.slice(Math.max(0, first))) {
      const key = keyOf(frame);
      const child = node.children.get(key) ?? { frame, sums: none(), children: new Map() };
      node.children.set(key, child);
      addTo(child.sums, point);
      node = child;
    }
  }
  return finished(root, "");
}
