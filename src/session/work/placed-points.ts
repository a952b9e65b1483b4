/** Failure points put together by place: what a reader sees of thousands of them. */
import type { FailurePoint } from "../../crash/states/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type { PlacedPoints } from "./engine.ts";

type Place = Pick<FailurePoint, "site" | "stack">;

export const placeKey = ({ site, stack }: Place): string => `${site}/${stack}`;

/** In the order in which the program first came by; `failing` has what fails, by place. */
export function byPlace(
  points: readonly { readonly point: FailurePoint; readonly states: number; readonly judged: number }[],
  framesOf: (place: Place) => readonly Frame[],
  failing: ReadonlyMap<string, number>,
): readonly PlacedPoints[] {
  const places = new Map<string, PlacedPoints>();
  for (const { point, states, judged } of points) {
    const key = placeKey(point);
    const known = places.get(key) ?? {
      frames: framesOf(point),
      before: point.before,
      event: point.seq,
      states: 0,
      judged: 0,
      failing: failing.get(key) ?? 0,
    };
    places.set(key, { ...known, states: known.states + states, judged: known.judged + judged });
  }
  return [...places.values()];
}
