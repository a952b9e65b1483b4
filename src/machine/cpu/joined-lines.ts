/** Lines that follow one another in a file, as one piece: a crash loses many of them, and each piece costs a look-up. */
import type { LineContents } from "./machine-types.ts";

export interface FilePiece {
  readonly path: string;
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** Lines in a piece at most. */
const mostLines = 1024;

function pieceOf(lines: readonly LineContents[]): FilePiece {
  const [{ path, index, bytes }] = lines as readonly [LineContents];
  const size = bytes.length;
  if (lines.length === 1) return { path, offset: index * size, bytes };
  const joined = new Uint8Array(lines.length * size);
  for (let at = 0; at < lines.length; at++) joined.set(lines[at]!.bytes, at * size);
  return { path, offset: index * size, bytes: joined };
}

/** In the order of the lines. */
export function* joinedLines(lines: Iterable<LineContents>): Iterable<FilePiece> {
  let run: LineContents[] = [];
  for (const line of lines) {
    const last = run[run.length - 1];
    const goesOn = last !== undefined && line.path === last.path && line.index === last.index + 1;
    if (!goesOn || run.length === mostLines) {
      if (last !== undefined) yield pieceOf(run);
      run = [];
    }
    run.push(line);
  }
  if (run.length > 0) yield pieceOf(run);
}
