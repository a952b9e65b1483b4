/**
 * Lines of the program that store to persistent memory while the set-up runs and never in the run that is looked at: no power
 * cut falls on them.
 */
import { isOfSystem } from "../../crash/finding/index.ts";
import type { Frame, SinkFactory } from "../../trace/events/index.ts";
import { codeIn, codeOf, inRecord, recordWords } from "../../trace/record/index.ts";
import type { Places } from "../subject/index.ts";
import type { LeadScene } from "./engine.ts";
import { WatchedRun } from "./watched-run.ts";

/** Calling contexts of stores, by site. */
class StoreContexts {
  readonly #stacks = new Map<number, Set<number>>();

  add(words: Uint32Array): void {
    for (let at = 0; at < words.length; at += recordWords) {
      const code = codeIn(words[at]!);
      if (code !== codeOf.store && code !== codeOf["non-temporal"]) continue;
      const site = words[at + inRecord.site]!;
      const stacks = this.#stacks.get(site) ?? new Set();
      this.#stacks.set(site, stacks.add(words[at + inRecord.stack]!));
    }
  }

  /** The calls of the program's own functions, with a source, that lead to stores; innermost first. */
  *calls({ resolver }: Places): Iterable<readonly Frame[]> {
    for (const [site, stacks] of this.#stacks)
      for (const stack of stacks)
        yield resolver.frames(site, stack).filter((frame) => !isOfSystem(frame) && frame.file !== undefined);
  }
}

const functionKey = (frame: Frame): string => `${frame.function} ${frame.file}`;
const lineKey = (frame: Frame): string => `${functionKey(frame)}:${frame.line}`;

/** Of each store: the innermost function that the run does not store from, or else its line, if that is not the run's. */
export function onlyInSetup({ subject, trace, places }: LeadScene): readonly (readonly Frame[])[] {
  if (subject.options.setup === undefined) return [];
  const [before, during] = [new StoreContexts(), new StoreContexts()];
  const watched = new WatchedRun((tables) => subject.places(tables), []);
  const noting: SinkFactory = () => ({ events: (words) => before.add(words), end: () => undefined });
  subject.watchSetup([...watched.sinks, noting]);
  for (const words of trace.batches()) during.add(words);
  const inRun = new Set([...during.calls(places)].flat().flatMap((frame) => [functionKey(frame), lineKey(frame)]));
  const found = new Map<string, Frame>();
  for (const calls of before.calls(watched.places)) {
    const [line] = calls;
    const alone =
      calls.find((frame) => !inRun.has(functionKey(frame))) ?? (line && !inRun.has(lineKey(line)) ? line : undefined);
    if (alone !== undefined) found.set(lineKey(alone), alone);
  }
  return [...found.values()].map((frame) => [frame]);
}
