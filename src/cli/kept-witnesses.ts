/**
 * Witnesses that are kept for a while, each by its finding's fingerprint: `blackout replay FINGERPRINT` needs no file. They lie
 * in the folder of caches and go with it; `--witness` and `--bundle` keep what should stay.
 */
import { InputError } from "../base/index.ts";
import { realPorts } from "../host/index.ts";
import { readWitnesses, type Witness, witnessText } from "../report/index.ts";

const kind = "witness";
const cache = () => realPorts().cache;

/** Whether it can be found again. */
export function keepWitness(witness: Witness): boolean {
  const { name, write, keeps } = cache();
  if (keeps) write(name(witness.fingerprint, kind), [new TextEncoder().encode(witnessText([witness]))]);
  return keeps;
}

export const isFingerprint = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

export function keptWitness(fingerprint: string): readonly Witness[] {
  const { name, read } = cache();
  const bytes = read(name(fingerprint, kind));
  if (bytes === undefined)
    throw new InputError(
      "replay/not-kept",
      `Nothing is kept of a finding ${fingerprint}: run the check again, or keep its witness with --witness FILE.`,
      { fingerprint },
    );
  return readWitnesses(fingerprint, new TextDecoder().decode(bytes));
}
