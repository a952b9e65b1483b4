/** The failure points of a subject's run, by the calls that lead to them: what a check has before it. */
import type { Subject } from "../../session/subject/index.ts";
import { WatchedRun } from "../../session/work/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { type InjectOptions, injectSource } from "./engine.ts";

export function placedPoints(
  subject: Subject,
  options: InjectOptions,
): readonly { readonly frames: readonly Frame[]; readonly before: string; readonly states: number }[] {
  const watched = new WatchedRun((tables) => subject.places(tables), []);
  const run = subject.trace(watched.sinks);
  const { table } = injectSource({ run }, options);
  const { resolver } = watched.places;
  return Array.from({ length: table.points }, (_, index) => {
    const { site, stack, before } = table.point(index);
    return { frames: resolver.frames(site, stack), before, states: table.first(index + 1) - table.first(index) };
  });
}
