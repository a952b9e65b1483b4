/**
 * Witnesses that are kept for a while, each by a digest of it: `blackout replay NAME` needs no file. They lie
 * in the folder of caches and go with it; `--witness` and `--bundle` keep what should stay.
 */
import { InputError } from "../../base/index.ts";
import { readWitnesses, type Witness, witnessText } from "../../crash/states/index.ts";
import { realPorts, sha256 } from "../../host/index.ts";

const kind = "witness";
const cache = () => realPorts().cache;

const lettersOfName = 16;

/** The name that it can be found by; undefined where nothing is kept. Mistakes of two programs may have one fingerprint. */
export function keepWitness(witness: Witness): string | undefined {
  const { name, write, keeps } = cache();
  if (!keeps) return undefined;
  const bytes = new TextEncoder().encode(witnessText([witness]));
  const key = sha256([bytes]).slice(0, lettersOfName);
  write(name(key, kind), [bytes]);
  return key;
}

export const isKeptName = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

export function keptWitness(key: string): readonly Witness[] {
  const { name, read } = cache();
  const bytes = read(name(key, kind));
  if (bytes === undefined)
    throw new InputError(
      "replay/not-kept",
      `Nothing is kept by the name of ${key}: run the check again, or keep its witness with --witness FILE.`,
      { key },
    );
  return readWitnesses(key, new TextDecoder().decode(bytes));
}
