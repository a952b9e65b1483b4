/** Fixes and refusals in words: two sentences each, the theorem a fix rests on, and the places. */
import { baseName } from "../../base/index.ts";
import type { Frame } from "../../trace/index.ts";
import type { Insert } from "./inserts.ts";
import type { Refusal } from "./needs.ts";
import type { Fix } from "./repair.ts";
import type { PlacedInsert } from "./source-patch.ts";

/** Hippocrates, section 3.4: what is inserted cures the bug and does no harm. */
const theorems: Readonly<Record<string, string>> = {
  fence: "Theorem 1",
  flush: "Theorem 2",
  "flush and fence": "Theorem 3",
};

function kindOf(inserts: readonly Insert[]): string {
  const ops = new Set(inserts.map(({ op }) => op));
  return ops.size === 2 ? "flush and fence" : [...ops].join();
}

/** `log.c:21 in main`; by module and offset where nothing more is known. */
function placeOf(frame: Frame | undefined): string {
  if (frame === undefined) return "an unknown place";
  const { file, line, module, offset, function: name } = frame;
  const inside = name === undefined ? "" : ` in ${name}`;
  if (file !== undefined && line !== undefined) return `${baseName(file)}:${line}${inside}`;
  return `${module === undefined ? "?" : baseName(module)}+0x${(offset ?? 0).toString(16)}${inside}`;
}

/** The first frame that source is known of, else the innermost. */
const shownFrame = (frames: readonly Frame[]): Frame | undefined =>
  frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0];

export function fixText({ finding, inserts }: Fix, placed: readonly PlacedInsert[]): string {
  const kind = kindOf(inserts);
  const places = placed.map(({ frame, statements, unplaced }) => {
    const at = `  after ${placeOf(frame)}: `;
    return at + (unplaced === undefined ? statements.join(" ") : `a ${kind}; not in the source, because ${unplaced}`);
  });
  return [
    `fixed: ${placeOf(shownFrame(finding.frames))}: ${finding.rule.title}`,
    `  A ${kind} makes the store durable before anything depends on it, and does no harm (${theorems[kind]}).`,
    "  Verified in the running code: the same check finds neither this nor anything new.",
    ...places,
  ].join("\n");
}

export const refusalText = ({ finding, reason, sites }: Refusal): string =>
  [
    `not fixed: ${placeOf(shownFrame(finding.frames))}: ${finding.rule.title}`,
    `  No flush or fence cures it: ${reason}.`,
    ...sites.map(({ frames }) => `  see ${placeOf(shownFrame(frames))}`),
  ].join("\n");
