/** Fixes of the order of stores in words. */
import { type Finding, type OrderFix, placeWords } from "../../crash/finding/index.ts";

/** "a flush and a fence after log.c:22 in append": what is inserted at one place is told together. */
export function insertTexts({ inserts }: OrderFix): readonly string[] {
  const places = new Map<string, string[]>();
  for (const { op, after } of inserts) {
    const place = placeWords(after.frames);
    const ops = places.get(place) ?? [];
    if (!ops.includes(`a ${op}`)) places.set(place, [...ops, `a ${op}`]);
  }
  return [...places].map(([place, ops]) => `${ops.join(" and ")} after ${place}`);
}

export function orderFixText({ order }: Finding): string {
  const { missing, kept, fix } = order!;
  return [
    `fixed: ${placeWords(missing.frames)} is persisted before ${placeWords(kept.frames)}`,
    ...insertTexts(fix!).map((text) => `  ${text}`),
  ].join("\n");
}
