/**
 * Conditions on the outcome of a test, as in herd: equalities joined by and, or, not. An atom is about memory recovered
 * after a crash, memory at the end of a run without a crash, or a register at the end of the run.
 */
export type Atom =
  | { readonly about: "recovered" | "memory"; readonly location: number; readonly value: number }
  | { readonly about: "register"; readonly thread: number; readonly register: number; readonly value: number };

export type Condition =
  | { readonly kind: "atom"; readonly atom: Atom }
  | { readonly kind: "and" | "or"; readonly parts: readonly Condition[] }
  | { readonly kind: "not"; readonly part: Condition };

/** What a condition is judged on; a part it does not mention may be absent. */
export interface FinalValues {
  readonly recovered?: readonly number[];
  readonly memory?: readonly number[];
  readonly registers?: readonly (readonly number[])[];
}

export function holds(condition: Condition, outcome: FinalValues): boolean {
  if (condition.kind === "not") return !holds(condition.part, outcome);
  if (condition.kind !== "atom") {
    const { kind, parts } = condition;
    const partHolds = (part: Condition) => holds(part, outcome);
    return kind === "and" ? parts.every(partHolds) : parts.some(partHolds);
  }
  const { atom } = condition;
  if (atom.about === "register") return outcome.registers?.[atom.thread]?.[atom.register] === atom.value;
  return outcome[atom.about]?.[atom.location] === atom.value;
}

export function atomsOf(condition: Condition): Atom[] {
  if (condition.kind === "atom") return [condition.atom];
  return condition.kind === "not" ? atomsOf(condition.part) : condition.parts.flatMap(atomsOf);
}

export const mentions = (condition: Condition, about: Atom["about"]): boolean =>
  atomsOf(condition).some((atom) => atom.about === about);

export const allOf = (parts: readonly Condition[]): Condition => ({ kind: "and", parts });

/** A condition that recovered locations have these values. */
export const recoveredEquals = (values: readonly (readonly [location: number, value: number])[]): Condition =>
  allOf(values.map(([location, value]) => ({ kind: "atom", atom: { about: "recovered", location, value } })));

interface Names {
  readonly locations: readonly { readonly name: string }[];
  readonly registers: readonly (readonly string[])[];
}

export function printCondition(condition: Condition, names: Names): string {
  if (condition.kind === "not") return `~(${printCondition(condition.part, names)})`;
  if (condition.kind === "atom") return printAtom(condition.atom, names);
  const joined = condition.parts.map((part) => {
    const text = printCondition(part, names);
    return part.kind === "or" && condition.kind === "and" && part.parts.length > 1 ? `(${text})` : text;
  });
  if (joined.length === 0) return condition.kind === "and" ? "true" : "false";
  return joined.join(condition.kind === "and" ? " /\\ " : " \\/ ");
}

function printAtom(atom: Atom, names: Names): string {
  if (atom.about === "register") return `${atom.thread}:${names.registers[atom.thread]?.[atom.register]}=${atom.value}`;
  const name = names.locations[atom.location]?.name;
  return atom.about === "recovered" ? `recovered ${name}=${atom.value}` : `[${name}]=${atom.value}`;
}
