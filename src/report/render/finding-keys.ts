/**
 * What tells findings of one program apart while its lines move: a suppression and a baseline know a finding by its key. Always:
 * - A key is made of the rule and of source lines as they read, blanks left out, with the functions and files they stand in: of
 *   what is blamed, of what survived beside it, and of the callers where the rule speaks of each. Where a line stands is no part
 *   of it. Without source the functions alone count.
 * - Findings of one run have different keys: those that read the same are numbered as they happened. So a second mistake of
 *   the same kind in the same function never has the first one's key.
 */
import { addWord, baseName, digestText, newDigest } from "../../base/index.ts";
import { type Finding, inOrder, isOwn, type OwnModule, ownPosition } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";

export type ReadSource = (path: string) => string | undefined;
export type KeyOf = (finding: Finding) => string;

class Lines {
  readonly #files = new Map<string, readonly string[]>();
  readonly #read: ReadSource;

  constructor(read: ReadSource) {
    this.#read = read;
  }

  /** The line without its blanks; empty where nobody can read it. */
  text({ file, line }: Frame): string {
    if (file === undefined || line === undefined) return "";
    const lines = this.#files.get(file) ?? (this.#read(file) ?? "").split("\n");
    this.#files.set(file, lines);
    return (lines[line - 1] ?? "").replaceAll(/\s/g, "");
  }
}

const frameText = (frame: Frame, lines: Lines): string =>
  [frame.function ?? "", baseName(frame.file ?? frame.module ?? ""), lines.text(frame)].join("\t");

function keyText({ rule, frames, crash }: Finding, ownModule: OwnModule, lines: Lines): string {
  const own = (calls: readonly Frame[]) => calls[ownPosition(calls, ownModule) ?? 0];
  const blamed = own(frames);
  const callers =
    rule.severity === "performance" ? frames.filter((frame) => frame !== blamed && isOwn(frame, ownModule)) : [];
  const survived = (crash?.kept ?? []).map((store) => own(store.frames));
  const told = [blamed, ...callers, ...survived].flatMap((frame) => (frame === undefined ? [] : [frame]));
  return [rule.id, ...told.map((frame) => frameText(frame, lines))].join("\n");
}

function digestOf(text: string): string {
  const digest = newDigest();
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

export function findingKeys(findings: readonly Finding[], ownModule: OwnModule, readSource: ReadSource): KeyOf {
  const lines = new Lines(readSource);
  const seen = new Map<string, number>();
  const keys = new Map<Finding, string>();
  for (const finding of inOrder(findings)) {
    const text = keyText(finding, ownModule, lines);
    const number = (seen.get(text) ?? 0) + 1;
    seen.set(text, number);
    keys.set(finding, digestOf(number === 1 ? text : `${text}\n${number}`));
  }
  return (finding) => keys.get(finding)!;
}
