/** Runs written down by hand: "X.A" stores to a field, "!X.A X.B" makes what was stored to these fields durable. */
import { Behaviours, type Part } from "../../src/engines/represent/index.ts";

export interface SmallRun {
  readonly behaviours: Behaviours;
  /** Of each store, the field it was to. */
  readonly names: readonly string[];
}

const fieldNumbers = new Map<string, number>();
const numberOf = (name: string): number => {
  if (!fieldNumbers.has(name)) fieldNumbers.set(name, fieldNumbers.size);
  return fieldNumbers.get(name)!;
};

/** `x1.A` is field A of object x1; digits tell the objects of a type apart. */
const defaultParts = (name: string): readonly Part[] => [
  { object: numberOf(name.split(".")[0]!), field: numberOf(name.replace(/\d+\./, ".")) },
];

export interface Layout {
  /** Fields that share a line, in place of having one each. */
  readonly shared?: readonly string[];
  readonly partsOf?: (name: string) => readonly Part[];
}

export const partNumber = numberOf;

export function smallRun(text: string, { shared = [], partsOf = defaultParts }: Layout = {}): SmallRun {
  const behaviours = new Behaviours();
  const names: string[] = [];
  const lineOf = (name: string) => numberOf(shared.includes(name) ? shared.join() : name);
  for (const [position, step] of text.split(",").entries()) {
    const words = step.trim();
    if (words.startsWith("!")) {
      const fields = words.slice(1).split(" ");
      const isMade = (_: string, store: number) => fields.includes(names[store]!) && !behaviours.order.isDurable(store);
      behaviours.durable(
        names.flatMap((name, store) => (isMade(name, store) ? [store] : [])),
        position,
      );
    } else {
      behaviours.store(position, lineOf(words), partsOf(words));
      names.push(words);
    }
  }
  return { behaviours, names };
}

/** Every set of stores that a crash can keep, in the letters of their fields. */
export function keptSets({ behaviours: { order }, names }: SmallRun, stores: readonly number[]): readonly string[] {
  const sets: string[] = [];
  for (let set = 0; set < 1 << stores.length; set++) {
    const kept = stores.filter((_, index) => (set >> index) & 1);
    const isClosed = kept.every((b) => stores.every((a) => !order.precedes(a, b) || kept.includes(a)));
    if (isClosed) sets.push(kept.map((store) => names[store]!.split(".").at(-1)).join(""));
  }
  return sets.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
