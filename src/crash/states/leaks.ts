/**
 * Which objects a crash leaks: those that nothing refers to when recovery is done, though after neither clean stop around the
 * operation under way they are so. An object that is left unreached there too is the program's way (it finds its objects otherwise,
 * or never frees them), and no crash is to blame for it.
 */
import type { CleanStops } from "./clean-stops.ts";
import type { RecoveryEnd } from "./recovery-machine.ts";
import type { PoolObject } from "./unreached.ts";

/** The failure of a recovery that ends well and leaves objects that nobody can ever use or free. */
export const leakFailure = "leak";

const keyOf = ({ file, offset }: PoolObject): string => `${offset} ${file}`;

/** After a crash before event `seq`; `stops` are asked only where something is unreached. */
export function leakedObjects(
  seq: number,
  { unreached = [] }: Pick<RecoveryEnd, "unreached">,
  stops: () => CleanStops,
): readonly PoolObject[] {
  if (unreached.length === 0) return [];
  const clean = stops().allowed(seq);
  const known = new Set(clean.flatMap((stop) => stop.unreached ?? []).map(keyOf));
  return unreached.filter((object) => !known.has(keyOf(object)));
}

/** Objects that are unreached now as they were then. */
export const stillUnreached = (
  { unreached = [] }: Pick<RecoveryEnd, "unreached">,
  leaked: readonly PoolObject[],
): number => {
  const now = new Set(unreached.map(keyOf));
  return leaked.filter((object) => now.has(keyOf(object))).length;
};
