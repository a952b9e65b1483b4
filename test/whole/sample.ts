/** A few programs in which every kind of section, pool, promise and mapping occurs. */
import { type Made, makeProgram } from "./generate.ts";
import { isFit } from "./twin.ts";

export interface Seeded extends Made {
  readonly seed: number;
}

/** The programs of the first seeds, from `first` on, that have a kind which none before has; then the next ones that are fit. */
export function sampleOf(first: number, count: number): readonly Seeded[] {
  const chosen: Seeded[] = [];
  const seen = new Set<string>();
  const spare: Seeded[] = [];
  for (let seed = first; seed < first + 30 * count && chosen.length < count; seed++) {
    const made = { seed, ...makeProgram(seed) };
    const isNew = made.kinds.some((kind) => !seen.has(kind));
    if (!isNew && spare.length >= count) continue;
    if (!isFit(made.program)) continue;
    (isNew ? chosen : spare).push(made);
    for (const kind of made.kinds) seen.add(kind);
  }
  return [...chosen, ...spare.slice(0, count - chosen.length)];
}
