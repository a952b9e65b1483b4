/** What binutils' addr2line says about addresses, in the shape of our frames. */
import type { Frame } from "../../src/program/elf/index.ts";
import { run } from "./compile.ts";

export interface ToolFrame {
  readonly function: string;
  /** `file:line`; an unknown file is `??`, an unknown line `?`. */
  readonly place: string;
}

export function addr2line(path: string, addresses: readonly number[]): readonly (readonly ToolFrame[])[] {
  const input = addresses.map((address) => `0x${address.toString(16)}\n`).join("");
  const shown = run("addr2line", ["-a", "-i", "-f", "-C", "-e", path], input);
  const groups = shown.split(/^0x[0-9a-f]{16}\n/m).slice(1);
  return groups.map((group) => {
    const lines = group.trimEnd().split("\n");
    return Array.from({ length: lines.length / 2 }, (_, index) => ({
      function: lines[2 * index] as string,
      place: (lines[2 * index + 1] as string).replace(/ \(discriminator \d+\)$/, "").replace(":0", ":?"),
    }));
  });
}

/** Our frames as addr2line would print them. */
export function asToolFrames(frames: readonly Frame[]): readonly ToolFrame[] {
  if (frames.length === 0) return [{ function: "??", place: "??:?" }];
  return frames.map((frame) => ({
    function: frame.function ?? "??",
    place: `${frame.file ?? "??"}:${frame.line ?? "?"}`,
  }));
}

export type Verdict = "same" | "wrong-first-file" | "other-name" | "lost-inlining" | "no-line" | "different";

/**
 * How two answers relate. Some differences are addr2line's own, checked by hand with gdb and llvm-symbolizer:
 * - In DWARF 5 it takes rows before the first DW_LNS_set_file to be in file 0; the standard says file 1.
 * - A function without a linkage name it calls by the symbol at the address, even when it is inlined there and in later
 *   answers, with the suffixes of clones and local aliases; or by its bare name.
 * - It sometimes names the outer function with the line of what was inlined there, or knows no line at all.
 */
export function judge(ours: readonly ToolFrame[], theirs: readonly ToolFrame[]): Verdict {
  const [our, their] = [ours[0] as ToolFrame, theirs[0] as ToolFrame];
  const outermost = (ours.at(-1) as ToolFrame).function;
  const isSame = (at: number, field: keyof ToolFrame) => ours[at]?.[field] === theirs[at]?.[field];
  const all = (holds: (at: number) => boolean) => ours.length === theirs.length && ours.every((_, at) => holds(at));
  if (all((at) => isSame(at, "function") && isSame(at, "place"))) return "same";
  const sameNames = all((at) => isSame(at, "function") || isOtherName(ours[at], theirs[at], outermost));
  if (sameNames && all((at) => isSame(at, "place"))) return "other-name";
  if (sameNames && lineOf(our) === lineOf(their) && all((at) => at === 0 || isSame(at, "place"))) {
    return "wrong-first-file";
  }
  const namesOuter = withoutClone(their.function) === outermost && lineOf(our) === lineOf(their);
  if (namesOuter && theirs.length < ours.length) return "lost-inlining";
  return withoutClone(their.function) === outermost && lineOf(their) === "?" ? "no-line" : "different";
}

const lineOf = ({ place }: ToolFrame) => place.replace(/^.*:/, "");

const withoutClone = (name: string) =>
  name.replace(/( \[clone .*\])+$/, "").replace(/\.(localalias|cold|part|isra|constprop)\b.*/, "");

function isOtherName(our: ToolFrame | undefined, their: ToolFrame | undefined, outermost: string): boolean {
  if (our === undefined || their === undefined) return false;
  const plain = withoutClone(their.function);
  const bare = their.function.replace(/<.*/, "");
  return plain === our.function || plain === outermost || (our.function.includes(`::${bare}`) && !bare.includes("("));
}
