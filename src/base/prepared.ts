/**
 * What a build works out ahead, so that no command does it again. Always: whoever asks for something prepared can do
 * without, as when Blackout runs from its sources.
 */
/** Of the last two, machine code of the two before them: empty where the engine has none to give. */
export const preparedParts = ["decoder", "runtime", "rules", "runtimeCode", "rulesCode"] as const;
export type PreparedPart = (typeof preparedParts)[number];
export type Prepared = Readonly<Record<PreparedPart, Uint8Array>>;

let parts: Prepared | undefined;

/** Before anything asks. */
export function usePrepared(given: Prepared): void {
  parts = given;
}

export const prepared = (part: PreparedPart): Uint8Array | undefined => parts?.[part];
