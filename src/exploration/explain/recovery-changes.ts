/** What a recovery changes first of persistent memory: where it succeeds before an output and fails after it, that is what it takes back. */

import { outsideTheSystem, ownPosition, type RecoveryChange } from "../../crash/finding/index.ts";
import { type Layout, TraceCursor } from "../../crash/states/index.ts";
import { NamedStores, TracedRecoveries } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import { eventsBetween } from "../../trace/events/index.ts";

export class RecoveryChanges {
  readonly #scene: LeadScene;
  #made: TracedRecoveries | undefined;

  constructor(scene: LeadScene) {
    this.#scene = scene;
  }

  /** The first store of the program's own code. */
  of(layout: Layout): RecoveryChange | undefined {
    const { subject, judging } = this.#scene;
    this.#made ??= new TracedRecoveries(subject, judging.hangLimit);
    const source = this.#made.source(layout, judging.platform);
    const { places } = this.#made;
    for (const event of eventsBetween(source.trace, 0, source.trace.count)) {
      if (event.kind !== "store" && event.kind !== "non-temporal") continue;
      const { seq, thread, site, stack, address, size } = event;
      const frames = places.resolver.frames(site, stack);
      const own = frames[ownPosition(frames, outsideTheSystem) ?? -1];
      if (own?.line === undefined) continue;
      const { mappings } = new TraceCursor(source).before(seq + 1);
      const name = new NamedStores(places, source.trace).at(seq, mappings)?.name;
      return { mark: { seq, thread, site, stack, address, size }, frames, ...(name !== undefined && { name }) };
    }
    return undefined;
  }
}
