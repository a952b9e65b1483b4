/** Builds a report's tables of frames and places. Always: equal calls have one entry, in the order they were first named. */

import { isOwn, type OwnModule, ownPosition, type PlacedMark, statementOf } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type * as document from "../document/index.ts";

/** Without the fields that are undefined: they are left out of JSON, and of the types. */
export function known<T extends object>(fields: { readonly [K in keyof T]: T[K] | undefined }): T {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as T;
}

/** Numbers as hexadecimal text: 64 bits do not fit a JSON number everywhere. */
export const hexText = (number: number | bigint | undefined): string | undefined =>
  number === undefined ? undefined : `0x${number.toString(16)}`;

/** Two digits a byte. */
export const hexBytes = (bytes: readonly number[]): string =>
  bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("");

export class PlaceTable {
  readonly frames: document.Frame[] = [];
  readonly places: document.Place[] = [];
  readonly #ownModule: OwnModule;
  readonly #frameIndexes = new Map<string, number>();
  readonly #placeIndexes = new Map<string, number>();

  constructor(ownModule: OwnModule) {
    this.#ownModule = ownModule;
  }

  /** The position of a place among `places`. `own` is the call that counts, where it is not the innermost of the user's. */
  add(frames: readonly Frame[], own = ownPosition(frames, this.#ownModule)): number {
    const indexes = frames.map((frame) => this.#frame(frame));
    const key = `${own} ${indexes.join(" ")}`;
    const there = this.#placeIndexes.get(key);
    if (there !== undefined) return there;
    this.#placeIndexes.set(key, this.places.length);
    return this.places.push({ frames: indexes, ...(own !== undefined && { own }) }) - 1;
  }

  /** The position of the user's line among calls. */
  own(frames: readonly Frame[]): number | undefined {
    return ownPosition(frames, this.#ownModule);
  }

  /** Where two places part in the function of the user's that made both, if the first comes first there: positions of its calls. */
  parting(first: readonly Frame[], second: readonly Frame[]): readonly [after: number, until: number] | undefined {
    // Not by addresses: a compiler inlines functions into the caller that they part in.
    const isSame = (one: Frame, two: Frame) => one.function === two.function && one.file === two.file;
    const isCommon = (one: Frame | undefined, two: Frame | undefined) =>
      one !== undefined && two !== undefined && isSame(one, two) && one.line === two.line;
    let [after, until] = [first.length - 1, second.length - 1];
    for (; isCommon(first[after], second[until]); after--) until--;
    const [one, two] = [first[after], second[until]];
    if (one?.line === undefined || two?.line === undefined || !isOwn(one, this.#ownModule)) return undefined;
    return isSame(one, two) && one.line < two.line ? [after, until] : undefined;
  }

  /** Equal for all stores that one statement of the user's makes. */
  statement(frames: readonly Frame[]): string {
    return statementOf(frames, this.#ownModule);
  }

  #frame(frame: Frame): number {
    const { address, function: name, file, line, column, module, offset, inlined } = frame;
    const key = [address, name, file, line, column, module, offset, inlined].join("\n");
    const there = this.#frameIndexes.get(key);
    if (there !== undefined) return there;
    this.#frameIndexes.set(key, this.frames.length);
    const shown = known<document.Frame>({
      address: hexText(address),
      function: name,
      file,
      line,
      column,
      module,
      offset: hexText(offset),
      inlined: inlined || undefined,
      library: isOwn(frame, this.#ownModule) ? undefined : true,
    });
    return this.frames.push(shown) - 1;
  }
}

export const eventPlace = ({ mark, frames }: PlacedMark, places: PlaceTable): document.EventPlace => ({
  event: mark.seq,
  thread: mark.thread,
  place: places.add(frames),
});
