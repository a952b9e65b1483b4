/**
 * Where things happened. Always:
 * - Frames and places are held once, in the report's two tables; everything else names a place by its position there, so
 *   that thousands of findings with the same calls stay small.
 * - What is not known is left out.
 */

/**
 * A number that may need 64 bits, or an address.
 * @pattern ^0x[0-9a-f]+$
 */
export type Hex = string;

/**
 * A count, a position or a size.
 * @asType integer
 * @minimum 0
 */
export type Whole = number;

/** Position in the report's `frames`. */
export type FrameIndex = Whole;

/** Position in the report's `places`. */
export type PlaceIndex = Whole;

/** One call. */
export interface Frame {
  /** Of the code, in the guest. */
  readonly address: Hex;
  /** Demangled. */
  readonly function?: string;
  readonly file?: string;
  readonly line?: Whole;
  readonly column?: Whole;
  /** The mapped file that holds the code. */
  readonly module?: string;
  /** Of the code within that file's own addresses. */
  readonly offset?: Hex;
  /** This call's code was inlined into the next frame's function. */
  readonly inlined?: boolean;
  /** Not the user's own code: a library, a system header, or what runs before main. Folded until asked for. */
  readonly library?: boolean;
}

/** A line of code and the calls that led there. */
export interface Place {
  /** Innermost first. */
  readonly frames: readonly FrameIndex[];
  /** Which of `frames` is the user's line: the innermost call in their own sources. Left out where there is none. */
  readonly own?: Whole;
}

/** An event of a trace, and where the program was. */
export interface EventPlace {
  /** Position in the trace of the program, or in the recovery's own. */
  readonly event: Whole;
  readonly thread: Whole;
  readonly place: PlaceIndex;
}

/** Lines of a source file that places of this report lie in or near. */
export interface Excerpt {
  /** Number of the first line, from 1. */
  readonly from: Whole;
  readonly lines: readonly string[];
}

export interface SourceFile {
  /** As frames name it. */
  readonly file: string;
  /** In order; they do not touch. */
  readonly excerpts: readonly Excerpt[];
}
