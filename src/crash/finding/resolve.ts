/** From drafts to findings: sites become frames, and each finding gets its fingerprint. */
import { addWord, baseName, digestText, newDigest } from "../../base/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type { Draft, Finding, Mark } from "./finding.ts";
import { isOfSystem, siteFrames } from "./own-frames.ts";

/** The frames of a site and its callers, innermost first. */
export type Resolve = (site: number, stack: number) => readonly Frame[];

const hasSource = ({ file, line }: Frame): boolean => file !== undefined && line !== undefined;

/**
 * What of a frame stays the same in another checkout, build directory or load address. Offsets only count where no frame has
 * a source line, and lines of the system's libraries where no other frame has one: the many stores of a library's unrolled copy are one
 * place to whoever called it.
 */
function stableName(frame: Frame, withOffsets: boolean, withLibraryLines: boolean): string {
  const { function: name, file, line, column, module, offset, address } = frame;
  if (name === undefined && file === undefined) {
    if (module === undefined) return `at ${address}`;
    return withOffsets ? `${baseName(module)}+${offset ?? address}` : baseName(module);
  }
  if (!withLibraryLines && isOfSystem(frame)) return name ?? baseName(module!);
  return `${name ?? ""} ${file === undefined ? "" : baseName(file)} ${line ?? ""} ${column ?? ""}`;
}

export function fingerprintOf(rule: string, frames: readonly Frame[]): string {
  const digest = newDigest();
  const withOffsets = !frames.some(hasSource);
  const withLibraryLines = !frames.some((frame) => hasSource(frame) && !isOfSystem(frame));
  const text = [rule, ...frames.map((frame) => stableName(frame, withOffsets, withLibraryLines))].join("\n");
  for (let at = 0; at < text.length; at++) addWord(digest, text.charCodeAt(at));
  return digestText(digest);
}

/**
 * Findings with one fingerprint, as the instructions of an unrolled loop have, are one to a reader: they add up. What may lose
 * data is one mistake at its site, however many calls lead there; what only costs time is each caller's own.
 */
export function resolveDrafts(drafts: readonly Draft[], resolve: Resolve): Finding[] {
  const findings = new Map<string, Finding>();
  for (const { rule, says, cause, evidence, count } of drafts) {
    const framesOf = ({ site, stack }: Mark) => resolve(site, stack);
    const frames = framesOf(cause);
    const fingerprint = fingerprintOf(rule.id, rule.severity === "performance" ? frames : siteFrames(frames));
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
