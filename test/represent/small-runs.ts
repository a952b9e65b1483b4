/** Runs written down by hand: "X.A" stores to a field, "!X.A X.B" makes what was stored to these fields durable. */
import {
  type Behaviour,
  Behaviours,
  Kinds,
  type Link,
  type Part,
  type StoreOrder,
} from "../../src/engines/represent/index.ts";

export interface SmallRun {
  readonly order: StoreOrder;
  /** In the order in which they began. */
  readonly ended: readonly Behaviour[];
  /** Of each store, the field it was to. */
  readonly names: readonly string[];
}

/** Behaviours, and a list of them once the run has ended. */
export function collected() {
  const taken: Behaviour[] = [];
  const behaviours = new Behaviours((behaviour) => taken.push(behaviour));
  const end = (): readonly Behaviour[] => {
    behaviours.end();
    return taken.sort((a, b) => a.stores[0]! - b.stores[0]! || a.objects[0]! - b.objects[0]!);
  };
  return { behaviours, end };
}

/** Of each group the numbers of its behaviours, its representative first. Every store is a statement of its own. */
export function groupNumbers(behaviours: readonly Behaviour[], order: StoreOrder): number[][] {
  const kinds = new Kinds(order);
  for (const behaviour of behaviours) kinds.add(behaviour);
  return kinds
    .groups()
    .map(({ leader, members }) => [leader, ...members].map(({ behaviour }) => behaviours.indexOf(behaviour)));
}

const fieldNumbers = new Map<string, number>();
const numberOf = (name: string): number => {
  if (!fieldNumbers.has(name)) fieldNumbers.set(name, fieldNumbers.size);
  return fieldNumbers.get(name)!;
};

/** `x1.A` is field A of object x1; digits tell the objects of a type apart. */
const defaultParts = (name: string): readonly Part[] => {
  const object = numberOf(name.split(".")[0]!);
  return [{ object, field: numberOf(name.replace(/\d+\./, ".")), begins: object }];
};

export interface Layout {
  /** Fields that share a line, in place of having one each. */
  readonly shared?: readonly string[];
  readonly partsOf?: (name: string) => readonly Part[];
  /** By field: the object that what is stored to it refers to. */
  readonly links?: Readonly<Record<string, string>>;
}

export const partNumber = numberOf;

export function smallRun(text: string, { shared = [], partsOf = defaultParts, links = {} }: Layout = {}): SmallRun {
  const { behaviours, end } = collected();
  const names: string[] = [];
  const lineOf = (name: string) => numberOf(shared.includes(name) ? shared.join() : name);
  const linkOf = (name: string): Link | undefined => {
    const target = links[name] === undefined ? undefined : numberOf(links[name]);
    return target === undefined ? undefined : { owner: 0, target, objects: [target] };
  };
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
      const store = {
        position,
        line: lineOf(words),
        statement: names.length,
        parts: partsOf(words),
        link: linkOf(words),
      };
      behaviours.store(store);
      names.push(words);
    }
  }
  return { order: behaviours.order, ended: end(), names };
}

/** Every set of stores that a crash can keep, in the letters of their fields. */
export function keptSets({ order, names }: SmallRun, stores: readonly number[]): readonly string[] {
  const sets: string[] = [];
  for (let set = 0; set < 1 << stores.length; set++) {
    const kept = stores.filter((_, index) => (set >> index) & 1);
    const isClosed = kept.every((b) => stores.every((a) => !order.precedes(a, b) || kept.includes(a)));
    if (isClosed) sets.push(kept.map((store) => names[store]!.split(".").at(-1)).join(""));
  }
  return sets.sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
}
