/**
 * How likely a place works on persistent memory alone (Hippocrates, section 3.4.3): the static pointers that a place may have got,
 * counted where they come from; those through which the run stored to persistent memory, minus the others. Always: a parameter that
 * is passed on is no pointer of its own.
 */
import {
  rootVariable,
  type SourceCall,
  type SourceFunction,
  type SourceFunctions,
} from "../../program/source/index.ts";

/** A pointer where it comes from: the function, and the text of the expression. */
type Origin = string;

export class Aliases {
  readonly #functions: SourceFunctions;
  readonly #persistent = new Set<Origin>();

  constructor(functions: SourceFunctions) {
    this.#functions = functions;
  }

  /** The run stored through this variable: `calls` led there, innermost first. */
  stored(variable: string, inside: SourceFunction, calls: readonly SourceCall[]): void {
    let [name, at] = [variable, inside];
    for (const { args, caller } of calls) {
      const given = args[at.parameters.findIndex((one) => one.name === name)];
      if (given === undefined) break;
      const next = rootVariable(given);
      if (next === undefined || !isParameter(next, caller)) {
        this.#persistent.add(originOf(caller, given.text));
        return;
      }
      [name, at] = [next, caller];
    }
    this.#persistent.add(originOf(at, name));
  }

  /** Of a store through a variable. */
  scoreOfStore(variable: string, inside: SourceFunction): number {
    return this.#score(this.#originsOf(variable, inside, new Set()));
  }

  /** Of a call by all its pointers; a call with nothing but numbers scores 0, one without arguments is never chosen. */
  scoreOfCall({ callee, args, caller }: SourceCall): number {
    if (args.length === 0) return Number.NEGATIVE_INFINITY;
    const parameters = this.#functions.named(callee)?.parameters ?? [];
    const pointers = args.filter((_one, index) => parameters[index]?.isPointer ?? false);
    return this.#score(
      pointers.flatMap((one) => this.#originsOfArgument(one.text, rootVariable(one), caller, new Set())),
    );
  }

  #score(origins: readonly Origin[]): number {
    const all = new Set(origins);
    const persistent = [...all].filter((one) => this.#persistent.has(one)).length;
    return persistent - (all.size - persistent);
  }

  #originsOf(variable: string, inside: SourceFunction, seen: Set<Origin>): readonly Origin[] {
    const index = inside.parameters.findIndex(({ name }) => name === variable);
    const calls = index < 0 ? [] : this.#functions.callsOf(inside.name);
    const self = originOf(inside, variable);
    if (calls.length === 0) return [self];
    if (seen.has(self)) return [];
    seen.add(self);
    return calls.flatMap(({ args, caller }) => {
      const given = args[index];
      return given === undefined ? [] : this.#originsOfArgument(given.text, rootVariable(given), caller, seen);
    });
  }

  #originsOfArgument(
    text: string,
    variable: string | undefined,
    caller: SourceFunction,
    seen: Set<Origin>,
  ): readonly Origin[] {
    const isPassedOn = variable !== undefined && isParameter(variable, caller);
    return isPassedOn ? this.#originsOf(variable, caller, seen) : [originOf(caller, text)];
  }
}

const originOf = ({ path, name }: SourceFunction, text: string): Origin => `${path} ${name} ${text}`;

const isParameter = (variable: string, { parameters }: SourceFunction): boolean =>
  parameters.some(({ name }) => name === variable);
