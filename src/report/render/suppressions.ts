/**
 * Suppressions in Valgrind's syntax: `{ name / blackout:rule / fun:… / obj:… / … }`. Always:
 * - `*` and `?` are wildcards, `...` stands for any number of frames; frames are compared from the innermost outwards.
 * - A kind for other tools is read and never matches.
 * - `key:…` in place of frames matches one finding and no other, wherever its lines move (finding-keys.ts).
 */
import { InputError, matchesSteps, type PatternStep, type TextPattern, wildcardPattern } from "../../base/index.ts";
import type { Finding } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type { KeyOf } from "./finding-keys.ts";

type FramePattern =
  | { readonly kind: "any" }
  | { readonly kind: "fun" | "obj" | "src"; readonly text: string; readonly pattern: TextPattern };

export interface Suppression {
  readonly name: string;
  readonly file: string;
  /** Where it begins in its file. */
  readonly line: number;
  /** The only finding that it is for. */
  readonly key?: string;
  /** Rule ids it is for, with wildcards; undefined when it is for another tool. */
  readonly rule: TextPattern | undefined;
  readonly frames: readonly FramePattern[];
}

const wrong = (file: string, line: number, what: string) =>
  new InputError("suppressions/syntax", `${file}:${line} ${what}`, { file, line });

function framePattern(file: string, line: number, text: string): FramePattern {
  if (text === "...") return { kind: "any" };
  const match = /^(fun|obj|src):(.+)$/.exec(text);
  if (match === null)
    throw wrong(
      file,
      line,
      `is not a frame: write fun:NAME, obj:FILE, src:FILE:LINE or "...", or key:KEY alone, not "${text}".`,
    );
  return { kind: match[1] as "fun" | "obj" | "src", text: match[2]!, pattern: wildcardPattern(match[2]!) };
}

function ruleOf(text: string): TextPattern | undefined {
  const [tools, kind] = [text.slice(0, text.indexOf(":")), text.slice(text.indexOf(":") + 1)];
  return tools.split(",").includes("blackout") ? wildcardPattern(kind) : undefined;
}

export function parseSuppressions(file: string, text: string): readonly Suppression[] {
  const suppressions: Suppression[] = [];
  let block: { readonly line: number; readonly lines: string[]; readonly numbers: number[] } | undefined;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const line = raw.trim();
    const number = index + 1;
    if (line === "" || line.startsWith("#")) continue;
    if (line === "{") {
      if (block !== undefined) throw wrong(file, number, `begins a suppression inside the one of line ${block.line}.`);
      block = { line: number, lines: [], numbers: [] };
    } else if (line === "}") {
      if (block === undefined) throw wrong(file, number, "closes a suppression that was not begun.");
      suppressions.push(suppressionOf(file, block));
      block = undefined;
    } else if (block === undefined) throw wrong(file, number, `is outside any suppression: "${line}".`);
    else {
      block.lines.push(line);
      block.numbers.push(number);
    }
  }
  if (block !== undefined)
    throw wrong(file, block.line, 'begins a suppression that is never closed: a "}" is missing.');
  return suppressions;
}

function suppressionOf(
  file: string,
  block: { readonly line: number; readonly lines: readonly string[]; readonly numbers: readonly number[] },
): Suppression {
  const [name, kind, ...frames] = block.lines;
  if (name === undefined || kind === undefined)
    throw wrong(file, block.line, "begins a suppression without a name and a kind.");
  if (!/^[\w,]+:[\w*?-]+$/.test(kind))
    throw wrong(file, block.numbers[1]!, `is not a kind: write blackout:RULE, not "${kind}".`);
  if (frames.length === 0) throw wrong(file, block.line, 'begins a suppression without frames: write at least "...".');
  const place = { name, file, line: block.line, rule: ruleOf(kind) };
  const key = frames.length === 1 ? /^key:(\w+)$/.exec(frames[0]!)?.[1] : undefined;
  if (key !== undefined) return { ...place, key, frames: [] };
  return {
    ...place,
    frames: frames.map((frame, index) => framePattern(file, block.numbers[index + 2]!, frame)),
  };
}

function matchesFrame(pattern: FramePattern, { function: name, module, file, line }: Frame): boolean {
  if (pattern.kind === "any") return true;
  if (pattern.kind === "fun") return name !== undefined && pattern.pattern.test(name);
  if (pattern.kind === "obj") return pattern.pattern.test(module ?? "");
  const base = file?.slice(file.lastIndexOf("/") + 1);
  const texts = [file, base].flatMap((path) => (path === undefined ? [] : [path, `${path}:${line}`]));
  return texts.some((text) => pattern.pattern.test(text));
}

/** What is not spoken of lies further out. */
const theRest: PatternStep<Frame> = { accepts: () => true, repeats: true };

function matchesFrames(patterns: readonly FramePattern[], frames: readonly Frame[]): boolean {
  const steps = patterns.map((pattern) => ({
    accepts: (frame: Frame) => matchesFrame(pattern, frame),
    repeats: pattern.kind === "any",
  }));
  return matchesSteps([...steps, theRest], frames);
}

export const suppresses = ({ rule, frames, key }: Suppression, finding: Finding, keyOf?: KeyOf): boolean =>
  rule?.test(finding.rule.id) === true &&
  (key === undefined ? matchesFrames(frames, finding.frames) : key === keyOf?.(finding));

export interface Sifted {
  readonly kept: readonly Finding[];
  readonly suppressed: readonly Finding[];
  /** Those for one finding each which no finding is. One with frames may be for what other runs find. */
  readonly unmatched: readonly Suppression[];
}

export function siftFindings(
  findings: readonly Finding[],
  suppressions: readonly Suppression[],
  keyOf?: KeyOf,
): Sifted {
  const matched = new Set<Suppression>();
  const isSuppressed = (finding: Finding) => {
    const matches = suppressions.filter((suppression) => suppresses(suppression, finding, keyOf));
    for (const suppression of matches) matched.add(suppression);
    return matches.length > 0;
  };
  const suppressed = new Set(findings.filter(isSuppressed));
  return {
    kept: findings.filter((finding) => !suppressed.has(finding)),
    suppressed: [...suppressed],
    unmatched: suppressions.filter((each) => each.key !== undefined && !matched.has(each)),
  };
}

/** A suppression for exactly this finding, to be put into a file; `says` is for who reads that. */
export const suppressionText = ({ rule }: Finding, key: string, says: string): string =>
  ["{", `   # ${says}`, `   ${rule.id} ${key}`, `   blackout:${rule.id}`, `   key:${key}`, "}"].join("\n");
