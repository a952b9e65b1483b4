/** Sets of outcomes, kept by their text so that two models can be compared and printed alike. */
import type { Location } from "./program.ts";

/** The state a run ends in when nothing goes wrong. */
export interface FinalState {
  readonly memory: readonly number[];
  readonly registers: readonly (readonly number[])[];
}

/** A crash after the end, with the final state that was lost. */
export interface EndCrash extends FinalState {
  readonly recovered: readonly number[];
}

/** What one phase can leave behind, by text. */
export interface PhaseOutcomes {
  readonly any: Map<string, readonly number[]>;
  readonly end: Map<string, EndCrash>;
  readonly final: Map<string, FinalState>;
}

export const noOutcomes = (): PhaseOutcomes => ({ any: new Map(), end: new Map(), final: new Map() });

/** `x=0 y=1`, locations sorted by name. */
export function memoryPrinter(locations: readonly Location[]): (memory: readonly number[]) => string {
  const byName = locations.map(({ name }, index) => ({ name, index })).sort((a, b) => compareText(a.name, b.name));
  return (memory) => byName.map(({ name, index }) => `${name}=${memory[index]}`).join(" ");
}

export const finalKey = ({ memory, registers }: FinalState): string => `${memory.join(",")};${registers.join(";")}`;

export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
export const sortedTexts = (texts: Iterable<string>): string[] => [...new Set(texts)].sort(compareText);
