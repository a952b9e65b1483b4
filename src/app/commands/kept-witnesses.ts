/**
 * Witnesses that are kept for a while, each by a digest of it: `blackout replay NAME` needs no file. They lie
 * in the folder of caches and go with it; `--witness` and `--bundle` keep what should stay.
 */
import { daysOfWitnesses, InputError } from "../../base/index.ts";
import { readWitnesses, type Witness, witnessText } from "../../crash/states/index.ts";
import { isBuilt, realPorts, sha256, stderrLine, witnessName } from "../../host/index.ts";

const lettersOfName = 16;

let isRemarked = false;

/** Reports are the same; that a name in them leads nowhere is told beside them, once. */
function remarkNothingKept(): void {
  if (!isRemarked) stderrLine("blackout: no witness is kept here for blackout replay: --witness FILE writes them");
  isRemarked = true;
}

/** The name that it can be found by; undefined where nothing was built. Mistakes of two programs may have one fingerprint. */
export function keepWitness(witness: Witness): string | undefined {
  if (!isBuilt) return undefined;
  const { write, keeps } = realPorts().cache;
  if (!keeps) remarkNothingKept();
  const bytes = new TextEncoder().encode(witnessText([witness]));
  const key = sha256([bytes]).slice(0, lettersOfName);
  write(witnessName(key), [bytes]);
  return key;
}

export const isKeptName = (text: string): boolean => /^[0-9a-f]{16}$/.test(text);

export function keptWitness(key: string): readonly Witness[] {
  const bytes = realPorts().cache.read(witnessName(key));
  if (bytes === undefined)
    throw new InputError(
      "replay/not-kept",
      `Nothing is kept by the name of ${key}, at most for ${daysOfWitnesses} days: run the check again, or keep its witness with --witness FILE.`,
      { key },
    );
  return readWitnesses(key, new TextDecoder().decode(bytes));
}
