/** From drafts to findings: sites become frames, and each finding gets its fingerprint. */
import { addWord, digestText, newDigest } from "../base/index.ts";
import type { Frame } from "../trace/index.ts";
import type { Draft, Finding, Mark } from "./finding.ts";

/** The frames of a site and its callers, innermost first. */
export type Resolve = (site: number, stack: number) => readonly Frame[];

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What of a frame stays the same in another checkout, build directory or load address. */
function stableName({ function: name, file, line, module, offset, address }: Frame): string {
  if (name === undefined && file === undefined)
    return module === undefined ? `at ${address}` : `${baseName(module)}+${offset ?? address}`;
  return `${name ?? ""} ${file === undefined ? "" : baseName(file)} ${line ?? ""}`;
}

export function fingerprintOf(rule: string, frames: readonly Frame[], salt = ""): string {
  const digest = newDigest();
  const text = [rule, salt, ...frames.map(stableName)].join("\n");
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

export function resolveDrafts(drafts: readonly Draft[], resolve: Resolve): Finding[] {
  const seen = new Map<string, number>();
  return drafts.map(({ rule, says, cause, evidence, count }) => {
    const framesOf = ({ site, stack }: Mark) => resolve(site, stack);
    const frames = framesOf(cause);
    const plain = fingerprintOf(rule.id, frames);
    // Two instructions of one source line look the same from outside: the later ones are numbered.
    const number = seen.get(plain) ?? 0;
    seen.set(plain, number + 1);
    return {
      rule,
      says,
      cause,
      frames,
      evidence: evidence.map((each) => ({ ...each, frames: framesOf(each.mark) })),
      count,
      fingerprint: number === 0 ? plain : fingerprintOf(rule.id, frames, String(number)),
    };
  });
}
