/** Persistence graphs as Graphviz reads them, and as a self-contained SVG: a column for each behaviour, time downwards. */
import type { PictureGraph, PictureGroup } from "./picture.ts";

const quoted = (text: string): string => `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;

export function dotOf(groups: readonly PictureGroup[]): string {
  const graphLines = ({ title, nodes, edges }: PictureGraph, name: string) => [
    `    subgraph ${quoted(`cluster_${name}`)} {`,
    `      label=${quoted(title)};`,
    ...nodes.map(({ label }, at) => `      ${quoted(`${name}_${at}`)} [label=${quoted(label)}];`),
    ...edges.map(([from, to]) => `      ${quoted(`${name}_${from}`)} -> ${quoted(`${name}_${to}`)};`),
    "    }",
  ];
  const groupLines = ({ title, graphs }: PictureGroup, group: number) => [
    `  subgraph ${quoted(`cluster_${group}`)} {`,
    `    label=${quoted(title)};`,
    ...graphs.flatMap((graph, at) => graphLines(graph, `${group}_${at}`)),
    "  }",
  ];
  return ["digraph persistence {", "  node [shape=box];", ...groups.flatMap(groupLines), "}", ""].join("\n");
}

const box = { width: 200, height: 26, gapX: 20, gapY: 26 };
const margin = 16;
const titleHeight = 24;

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly parts: readonly string[];
}

const text = (x: number, y: number, words: string, more = ""): string =>
  `<text x="${x}" y="${y}"${more}>${escapeXml(words)}</text>`;

/** At its own origin. Nodes of one level stand beside each other. */
function drawnGraph({ title, nodes, edges }: PictureGraph): Drawn {
  const taken: number[] = [];
  const centres = nodes.map(({ level }) => {
    const column = taken[level] ?? 0;
    taken[level] = column + 1;
    return {
      x: margin + column * (box.width + box.gapX) + box.width / 2,
      y: titleHeight + level * (box.height + box.gapY) + box.height / 2,
    };
  });
  const width = 2 * margin + Math.max(1, ...taken.map((count) => count ?? 0)) * (box.width + box.gapX) - box.gapX;
  const height = titleHeight + taken.length * (box.height + box.gapY);
  const lines = edges.map(([from, to]) => {
    const [a, b] = [centres[from]!, centres[to]!];
    return `<path d="M${a.x} ${a.y + box.height / 2} L${b.x} ${b.y - box.height / 2}" marker-end="url(#tip)"/>`;
  });
  const boxes = nodes.map(({ label }, at) => {
    const { x, y } = centres[at]!;
    const rect = `<rect x="${x - box.width / 2}" y="${y - box.height / 2}" width="${box.width}" height="${box.height}" rx="4"/>`;
    const short = label.length > 28 ? `${label.slice(0, 27)}…` : label;
    return `<g><title>${escapeXml(label)}</title>${rect}${text(x, y + 4, short, ' text-anchor="middle"')}</g>`;
  });
  return { width, height, parts: [text(margin, 14, title), ...lines, ...boxes] };
}

/** Graphs side by side below the group's title. */
function drawnGroup({ title, graphs }: PictureGroup): Drawn {
  let x = 0;
  const parts = [text(margin, 16, title, ' font-weight="bold"')];
  const drawn = graphs.map(drawnGraph);
  for (const { width, parts: own } of drawn) {
    parts.push(`<g transform="translate(${x} ${titleHeight})">`, ...own, "</g>");
    x += width + margin;
  }
  return { width: x, height: titleHeight + Math.max(0, ...drawn.map(({ height }) => height)) + margin, parts };
}

export function svgOf(groups: readonly PictureGroup[]): string {
  const drawn = groups.map(drawnGroup);
  let y = margin;
  const parts: string[] = [];
  for (const { height, parts: own } of drawn) {
    parts.push(`<g transform="translate(0 ${y})">`, ...own, "</g>");
    y += height;
  }
  const width = Math.max(2 * margin, ...drawn.map((group) => group.width));
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${y}" font-family="monospace" font-size="12">`,
    '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 0 L8 4 L0 8 z"/></marker></defs>',
    "<style>rect{fill:#fff;stroke:#333} path{fill:none;stroke:#555} marker path{fill:#555}</style>",
    `<rect width="${width}" height="${y}" style="stroke:none"/>`,
    ...parts,
    "</svg>",
    "",
  ].join("\n");
}
