/** From drafts to findings: sites become frames, and each finding gets its fingerprint. */
import { addWord, digestText, newDigest } from "../base/index.ts";
import type { Frame } from "../trace/index.ts";
import type { Draft, Finding, Mark } from "./finding.ts";

/** The frames of a site and its callers, innermost first. */
export type Resolve = (site: number, stack: number) => readonly Frame[];

const baseName = (path: string): string => path.slice(path.lastIndexOf("/") + 1);

/** What of a frame stays the same in another checkout, build directory or load address. */
function stableName({ function: name, file, line, column, module, offset, address }: Frame): string {
  if (name === undefined && file === undefined)
    return module === undefined ? `at ${address}` : `${baseName(module)}+${offset ?? address}`;
  return `${name ?? ""} ${file === undefined ? "" : baseName(file)} ${line ?? ""} ${column ?? ""}`;
}

export function fingerprintOf(rule: string, frames: readonly Frame[]): string {
  const digest = newDigest();
  const text = [rule, ...frames.map(stableName)].join("\n");
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

/** Several instructions of one source line, as an unrolled loop has them, are one place to a reader: they add up. */
export function resolveDrafts(drafts: readonly Draft[], resolve: Resolve): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { rule, says, cause, evidence, count } of drafts) {
    const framesOf = ({ site, stack }: Mark) => resolve(site, stack);
    const frames = framesOf(cause);
    const fingerprint = fingerprintOf(rule.id, frames);
    const known = findings.get(fingerprint);
    if (known !== undefined) {
      findings.set(fingerprint, { ...known, count: known.count + count });
      continue;
    }
    const shown = evidence.map((each) => ({ ...each, frames: framesOf(each.mark) }));
    findings.set(fingerprint, { rule, says, cause, frames, evidence: shown, count, fingerprint });
  }
  return [...findings.values()];
}
