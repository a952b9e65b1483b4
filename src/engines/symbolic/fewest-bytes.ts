/** Of an input that shows something, as few bytes as possible that are not as given: pieces go while it still shows. */
import type { Term } from "../../smt/index.ts";
import type { Model, Unknowns } from "./unknowns.ts";

/** Bytes of an input that are not as given. */
export const changedBytes = (unknowns: Unknowns, model: Model): readonly Term[] =>
  unknowns.all.filter(
    (variable) => (model.get(variable) ?? givenOf(unknowns, variable)) !== givenOf(unknowns, variable),
  );

const givenOf = (unknowns: Unknowns, variable: Term): bigint => BigInt(unknowns.about(variable).given);

/** `shows` is asked about other inputs than this one, which shows it. None of the bytes that are left can go by itself. */
export function fewestBytes(unknowns: Unknowns, model: Model, shows: (model: Model) => boolean): Model {
  const restricted = (variables: readonly Term[]): Model =>
    new Map(variables.map((variable) => [variable, model.get(variable)!]));
  let left = changedBytes(unknowns, model);
  for (let size = left.length; size > 0; ) {
    const before = left.length;
    for (let from = 0; from < left.length; ) {
      const without = [...left.slice(0, from), ...left.slice(from + size)];
      if (shows(restricted(without))) left = without;
      else from += size;
    }
    // One byte's going may let another one go.
    if (size > 1 || left.length === before) size = Math.floor(size / 2);
  }
  return restricted(left);
}
