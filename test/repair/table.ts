/**
 * The fix that a person would write and ours, side by side: what the guest without its mistake has that the one with it lacks, by the
 * compiler's preprocessor, and what `blackout fix` inserts.
 */
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { basename } from "node:path";
import { guestSource } from "../support/programs.ts";
import type { Mended } from "./mending.ts";
import type { RepairRow } from "./rows.ts";

/** Lines of the guest's own file that its compiler sees, by number. */
function seenLines(source: string, flags: readonly string[]): ReadonlyMap<number, string> {
  const compiler = source.endsWith(".cpp") ? "g++" : "gcc";
  const text = execFileSync(compiler, ["-E", "-march=x86-64-v2", ...flags, source], { encoding: "utf8" });
  const own = readFileSync(source, "utf8").split("\n");
  const seen = new Map<number, string>();
  let [file, line] = ["", 0];
  for (const each of text.split("\n")) {
    const marker = /^# (\d+) "([^"]*)"/.exec(each);
    if (marker !== null) [line, file] = [Number(marker[1]), marker[2]!];
    else {
      if (file === source && each.trim() !== "") seen.set(line, own[line - 1]!.trim());
      line++;
    }
  }
  return seen;
}

const isMistake = (flag: string): boolean => flag.startsWith("-DBUG");
const includes = (flags: readonly string[]): readonly string[] => flags.filter((flag) => flag.startsWith("-D"));

/** Lines of the mended twin that the bad one lacks. */
function twinLines(source: string): readonly string[] {
  const twin = source.replace(/bad\.c$/, "good.c");
  if (twin === source || !existsSync(twin)) return [];
  const bad = new Set(readFileSync(source, "utf8").split("\n").map(withoutComment));
  return readFileSync(twin, "utf8")
    .split("\n")
    .map(withoutComment)
    .filter((line) => line !== "" && !bad.has(line));
}

const withoutComment = (line: string): string => line.replace(/\/\/.*|\/\*.*?\*\//g, "").trim();

export function byHand({ source, flags, byHand }: RepairRow): readonly string[] {
  if (byHand !== undefined) return byHand;
  const path = guestSource(source);
  if (!flags.some(isMistake)) return twinLines(path);
  const bad = seenLines(path, includes(flags));
  const good = seenLines(
    path,
    includes(flags).filter((flag) => !isMistake(flag)),
  );
  return [...good].filter(([line]) => !bad.has(line)).map(([, text]) => withoutComment(text));
}

export const byUs = ({ placed }: Pick<Mended, "placed">): readonly string[] => [
  ...new Set(placed.flat().flatMap(({ frame, statements }) => statements.map((one) => `${one} (line ${frame?.line})`))),
];

const cell = (lines: readonly string[]): string =>
  lines.map((line) => `\`${line.replaceAll("|", "\\|")}\``).join("<br>") || "—";

/** A row of the table in docs/fixes.md: what is inserted, or why nothing is. */
export function tableRow(row: RepairRow, mended: Pick<Mended, "placed" | "refusals">): string {
  const reasons = [...new Set(mended.refusals.map(({ reason }) => `refused: ${reason}`))];
  const ours = mended.placed.length > 0 ? cell(byUs(mended)) : reasons.join("<br>");
  return `| ${row.name} (${basename(row.source)}) | ${cell(byHand(row))} | ${ours} |`;
}
