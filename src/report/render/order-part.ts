/** What a report says of two stores that persist out of order: the pair, its places, and what puts them in order. */

import type { CrashFacts, OrderFacts, OrderFix } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { factWords } from "../document/index.ts";
import { crashWords } from "./crash-case.ts";
import { markedPlace } from "./crash-part.ts";
import type { PlaceTable } from "./place-table.ts";
import { fullWhereText, whereNear, whereText } from "./place-text.ts";
import { rangeText, writeText } from "./write-text.ts";
import { writesOf } from "./writes.ts";

/** What is inserted at one place is one suggestion. */
function suggestionsOf({ inserts }: OrderFix, places: PlaceTable): readonly document.Suggestion[] {
  const byPlace = new Map<number, Set<"flush" | "fence">>();
  for (const { op, after } of inserts) {
    const place = places.add(after.frames);
    byPlace.set(place, (byPlace.get(place) ?? new Set()).add(op));
  }
  return [...byPlace].map(([after, ops]) => ({
    insert: ops.size === 2 ? "flush-and-fence" : ops.has("flush") ? "flush" : "fence",
    after,
  }));
}

const verbs: Readonly<Record<document.Suggestion["insert"], string>> = {
  flush: "flush",
  fence: "fence",
  "flush-and-fence": "flush and fence",
};

const cureOf = (fix: OrderFix | undefined, places: PlaceTable): document.Cure =>
  fix === undefined
    ? { kind: "keep", stores: [] }
    : {
        kind: "keep",
        stores: [],
        suggestions: suggestionsOf(fix, places),
        verification: { result: fix.verified === undefined ? "not-tried" : fix.verified ? "cured" : "not-cured" },
      };

/** "flush and fence after log.c:22, before log.c:24". */
export const insertsText = (
  suggestions: readonly document.Suggestion[],
  later: number,
  places: document.PlaceTables,
): string | undefined => {
  const end = whereText(places, later);
  const [first, ...more] = suggestions.map(({ insert, after }, at) => {
    const start = whereNear(places, after, later);
    if (start === end && at === 0) return `${verbs[insert]} between the two, at ${fullWhereText(places, after)}`;
    return `${verbs[insert]} after ${start}${at === 0 ? `, before ${end}` : ""}`;
  });
  return first === undefined ? undefined : [first, ...more].join("; ");
};

/** "flush and fence after log.c:22, before log.c:24; or put both fields of *log into one line". */
function adviceOf(
  { object, fix }: OrderFacts,
  { suggestions = [] }: document.Cure,
  usual: string,
  later: number,
  places: PlaceTable,
): string {
  const inserts = insertsText(suggestions, later, places) ?? usual;
  const flushes = fix?.reads
    ? `${inserts}: where it is read, since that may be before its own thread has flushed it`
    : inserts;
  if (object === undefined) return flushes;
  if (object.lies === "apart") return `${flushes}; or put both fields of ${object.name} into one line`;
  return `both fields of ${object.name} lie within 64 bytes, but on two lines: align it so that they share one, whose stores persist in their order; or ${flushes}`;
}

function pairOf({ missing, kept, reading }: OrderFacts, places: PlaceTable): document.RobustnessPair {
  const [[earlier], [later]] = [writesOf([missing], places), writesOf([kept], places)];
  return { kind: reading === "too old" ? "too-old" : "too-new", earlier: earlier!, later: later! };
}

/** Of a crash that recovery fails on: the pair that is out of order, and what to insert; no order makes a whole of parts. */
export function orderOfFailure(order: OrderFacts, { torn }: CrashFacts, cure: document.Cure, places: PlaceTable) {
  const robustness = pairOf(order, places);
  if (torn) return { robustness, cure };
  const { suggestions, verification } = cureOf(order.fix, places);
  return {
    robustness,
    cure: { ...cure, ...(suggestions && { suggestions }), ...(verification && { verification }) },
  };
}

export function orderPart(order: OrderFacts, places: PlaceTable) {
  const { missing, kept, others, fix } = order;
  const robustness = pairOf(order, places);
  const { earlier, later } = robustness;
  const lost = { writes: [earlier], name: earlier.name ?? rangeText(earlier) };
  const { headline, advice: usual } = crashWords({ kind: "unordered", lost, survivor: later }, places);
  const cure = cureOf(fix, places);
  return {
    mistake: "unordered" as const,
    headline,
    advice: adviceOf(order, cure, usual, later.place, places),
    places: [
      { ...markedPlace("cause", `${factWords.lost}: ${writeText(earlier)}`, missing, places), fact: "lost" as const },
      {
        ...markedPlace("survives", `${factWords.survives}: ${writeText(later)}`, kept, places),
        fact: "survives" as const,
      },
      ...others.map((pair) => markedPlace("also", "lost too, where a later store survives", pair.missing, places)),
    ],
    robustness,
    cure,
  };
}
