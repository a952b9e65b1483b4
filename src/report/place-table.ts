/** Builds a report's tables of frames and places. Always: equal calls have one entry, in the order they were first named. */

import type * as document from "../document/index.ts";
import { isOwn, type OwnModule, ownPosition, type PlacedMark, statementOf } from "../finding/index.ts";
import type { Frame } from "../trace/index.ts";

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

  /** Two places by the lines of the innermost function of the user's that reached both, if the first comes first there. */
  addMeeting(
    first: readonly Frame[],
    second: readonly Frame[],
  ): { readonly after: number; readonly until: number } | undefined {
    const isUsers = (frame: Frame) => isOwn(frame, this.#ownModule) && frame.line !== undefined;
    const functions = new Set(second.filter(isUsers).map((frame) => frame.function));
    const after = first.findIndex((frame) => isUsers(frame) && functions.has(frame.function));
    const until = second.findIndex((frame) => isUsers(frame) && frame.function === first[after]?.function);
    const [one, two] = [first[after], second[until]];
    if (one === undefined || two === undefined || one.file !== two.file || one.line! >= two.line!) return undefined;
    return { after: this.add(first, after), until: this.add(second, until) };
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
