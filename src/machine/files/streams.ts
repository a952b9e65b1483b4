/**
 * Standard input, output and error: the host's streams, by offset, so that a restored guest reads the same input again.
 * Always: what the guest wrote goes to the port at once and counts against the output limit; a terminal reads and writes
 * whichever stream it was opened as.
 */
import { S } from "./flags.ts";
import type { Tree } from "./tree.ts";
import type { Transfer } from "./types.ts";

export function readStream(tree: Tree, into: Uint8Array): number {
  if (into.length === 0) return 0;
  const [input, out, err] = tree.state.streamOffsets;
  const bytes = tree.options.streams.readInput(input, into.length);
  into.set(bytes);
  tree.editState().streamOffsets = [input + bytes.length, out, err];
  return bytes.length;
}

export function writeStream(tree: Tree, stream: 0 | 1 | 2, bytes: Uint8Array): Transfer {
  const [input, out, err] = tree.state.streamOffsets;
  if (out + err + bytes.length > tree.options.limits.output) return "output-limit";
  const isError = stream === 2;
  tree.options.streams.writeOutput(isError ? 2 : 1, isError ? err : out, bytes.slice());
  const count = bytes.length;
  tree.editState().streamOffsets = isError ? [input, out, err + count] : [input, out + count, err];
  return count;
}

export const isTerminalStream = (tree: Tree, stream: 0 | 1 | 2): boolean => tree.options.streams.terminals[stream];

/** st_mode of a stream: a terminal is a character device, everything else looks like a pipe. */
export const streamType = (tree: Tree, stream: 0 | 1 | 2): number =>
  isTerminalStream(tree, stream) ? S.IFCHR : S.IFIFO;
