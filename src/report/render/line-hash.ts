/**
 * The hash of a source line that GitHub tells alerts apart by (`primaryLocationLineHash`): of the hundred characters from the
 * line's beginning on, blanks left out, with a number for lines that are alike. As the action of
 * github/codeql-action computes it (fingerprints.ts), so that an alert stays the same whether GitHub computes it or we do.
 */
const blockSize = 100;
const factor = 37n;
const endOfFile = 65_535;
const [tab, lineFeed, carriageReturn, blank] = [9, 10, 13, 32];
const bits64 = (value: bigint): bigint => BigInt.asUintN(64, value);
const firstFactor = bits64(factor ** BigInt(blockSize));

export function lineHashes(text: string): ReadonlyMap<number, string> {
  const hashes = new Map<number, string>();
  const counts = new Map<string, number>();
  const window = new Array<number>(blockSize).fill(0);
  const lines = new Array<number>(blockSize).fill(-1);
  let [hash, at, line, isStart, afterReturn] = [0n, 0, 0, true, false];
  const output = () => {
    const found = hash.toString(16);
    const count = (counts.get(found) ?? 0) + 1;
    counts.set(found, count);
    hashes.set(lines[at]!, `${found}:${count}`);
    lines[at] = -1;
  };
  const update = (code: number) => {
    hash = bits64(factor * hash + BigInt(code) - firstFactor * BigInt(window[at]!));
    window[at] = code;
    at = (at + 1) % blockSize;
  };
  const take = (given: number) => {
    const skipped = given === blank || given === tab || (afterReturn && given === lineFeed);
    afterReturn = !skipped && given === carriageReturn;
    if (skipped) return;
    const code = given === carriageReturn ? lineFeed! : given;
    if (lines[at] !== -1) output();
    if (isStart) lines[at] = ++line;
    isStart = code === lineFeed;
    update(code);
  };
  for (let index = 0; index < text.length; index++) take(text.charCodeAt(index));
  take(endOfFile);
  for (let left = 0; left < blockSize; left++) {
    if (lines[at] !== -1) output();
    update(0);
  }
  return hashes;
}
