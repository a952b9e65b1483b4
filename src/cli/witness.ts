/** Witness files: all it takes to see a crash finding again, as JSON. */
import { InputError } from "../base/index.ts";
import type { LostLine } from "../engines/index.ts";
import type { CheckOptions } from "./check-options.ts";

export interface CheckWitness {
  readonly program: readonly string[];
  readonly options: CheckOptions;
  readonly hangLimit: number;
  /** The power is cut before this event; the lines named keep only what was surely persisted. */
  readonly crash: { readonly before: number; readonly lost: readonly LostLine[] };
  /** How recovery ended. */
  readonly verdict: string;
  /** What it printed, where that is what is wrong. */
  readonly stdout?: string;
}

const version = 1;

export const witnessText = (witnesses: readonly CheckWitness[]): string =>
  `${JSON.stringify({ blackoutWitness: version, witnesses }, undefined, 2)}\n`;

export function readWitnesses(file: string, text: string): readonly CheckWitness[] {
  const parsed = attemptJson(text);
  if (typeof parsed !== "object" || parsed === null || !("blackoutWitness" in parsed))
    throw new InputError("replay/no-witness", `${file} is not a witness file that blackout check wrote.`, { file });
  if (parsed.blackoutWitness !== version || !("witnesses" in parsed))
    throw new InputError("replay/version", `${file} is a witness of another version of Blackout.`, { file });
  return parsed.witnesses as readonly CheckWitness[];
}

function attemptJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
