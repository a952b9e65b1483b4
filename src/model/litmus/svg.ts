/** The picture of an execution as a self-contained SVG: a column per thread, time downwards, the cycle in red. */
import type { Drawing, DrawnEdge, DrawnNode } from "./draw.ts";

const COLUMN = 230;
const ROW = 74;
const BOX = { width: 170, height: 30 };
const MARGIN = { left: 110, top: 56 };

const escapeXml = (text: string): string =>
  text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");

const centre = ({ column, row }: DrawnNode) => ({
  x: MARGIN.left + column * COLUMN + BOX.width / 2,
  y: MARGIN.top + row * ROW + BOX.height / 2,
});

// biome-ignore format: columns stay aligned
const fills: Readonly<Record<DrawnNode["shape"], string>> = {
  event:    "#ffffff",
  flush:    "#e8f1fb",
  initial:  "#f4f4f4",
  recovery: "#fff3d6",
};

// biome-ignore format: columns stay aligned
const colours: Readonly<Record<string, string>> = {
  po: "#999999", ppo: "#555555", rf: "#1a7f37", co: "#8a5a00", fr: "#8250df", fb: "#0b5cad",
};

function drawNode(node: DrawnNode): string {
  const { x, y } = centre(node);
  const corner = node.shape === "recovery" ? 15 : 4;
  const box = `<rect x="${x - BOX.width / 2}" y="${y - BOX.height / 2}" width="${BOX.width}" height="${BOX.height}" rx="${corner}" fill="${fills[node.shape]}" stroke="#333333"/>`;
  const label = node.label.length > 26 ? `${node.label.slice(0, 25)}…` : node.label;
  return `${box}<text x="${x}" y="${y + 4}" text-anchor="middle"><title>${escapeXml(node.label)}</title>${escapeXml(label)}</text>`;
}

/** How far to the side an edge is bent: around the boxes it would cross, and apart from its neighbours. */
function bendOf(edge: DrawnEdge, nodes: readonly DrawnNode[], index: number): number {
  const from = nodes[edge.from] as DrawnNode;
  const to = nodes[edge.to] as DrawnNode;
  if (edge.name === "po" && !edge.inCycle) return 0;
  const crossesBoxes = from.column === to.column && Math.abs(from.row - to.row) > 1;
  return (crossesBoxes ? 190 : 34) + (index % 3) * 12;
}

/** Ends on the box's border. */
function drawEdge(edge: DrawnEdge, nodes: readonly DrawnNode[], index: number): string {
  const from = centre(nodes[edge.from] as DrawnNode);
  const to = centre(nodes[edge.to] as DrawnNode);
  const bend = bendOf(edge, nodes, index);
  const middle = {
    x: round((from.x + to.x) / 2 + (from.y <= to.y ? bend : -bend)),
    y: round((from.y + to.y) / 2 - Math.min(bend, 60) / 3),
  };
  const start = border(from, middle);
  const end = border(to, middle);
  const colour = edge.inCycle ? "#d1242f" : (colours[edge.name] ?? "#555555");
  const width = edge.inCycle ? 2.4 : 1.2;
  const path = `<path d="M${start.x} ${start.y} Q${middle.x} ${middle.y} ${end.x} ${end.y}" fill="none" stroke="${colour}" stroke-width="${width}" marker-end="url(#${edge.inCycle ? "hot" : "tip"})"/>`;
  const label = { x: round((start.x + 2 * middle.x + end.x) / 4), y: round((start.y + 2 * middle.y + end.y) / 4) };
  return `${path}<text x="${label.x}" y="${label.y}" fill="${colour}" class="name">${escapeXml(edge.name)}</text>`;
}

const round = (value: number): number => Math.round(value * 10) / 10;

function border(box: { x: number; y: number }, towards: { x: number; y: number }): { x: number; y: number } {
  const dx = towards.x - box.x;
  const dy = towards.y - box.y;
  const scale = Math.min(
    BOX.width / 2 / Math.max(Math.abs(dx), 0.01),
    BOX.height / 2 / Math.max(Math.abs(dy), 0.01),
    1,
  );
  return { x: round(box.x + dx * scale), y: round(box.y + dy * scale) };
}

const marker = (id: string, colour: string): string =>
  `<marker id="${id}" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="${colour}"/></marker>`;

export function drawingToSvg({ title, columns, nodes, edges }: Drawing): string {
  const lastColumn = Math.max(columns.length - 1, ...nodes.map(({ column }) => column));
  const lastRow = Math.max(0, ...nodes.map(({ row }) => row));
  const width = MARGIN.left * 2 + lastColumn * COLUMN + BOX.width + 60;
  const height = MARGIN.top + lastRow * ROW + BOX.height + 30;
  const heads = columns.map(
    (name, column) =>
      `<text x="${MARGIN.left + column * COLUMN}" y="${MARGIN.top + ROW - 8}" class="head">${name}</text>`,
  );
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="monospace" font-size="12">`,
    `<style>.head{font-weight:bold}.name{font-size:11px;paint-order:stroke;stroke:#fff;stroke-width:3px}</style>`,
    `<defs>${marker("tip", "#555555")}${marker("hot", "#d1242f")}</defs>`,
    `<rect width="100%" height="100%" fill="#ffffff"/>`,
    `<text x="${MARGIN.left}" y="24" class="head">${escapeXml(title)}</text>`,
    ...heads,
    ...edges.map((edge, index) => drawEdge(edge, nodes, index)),
    ...nodes.map(drawNode),
    "</svg>",
    "",
  ].join("\n");
}
