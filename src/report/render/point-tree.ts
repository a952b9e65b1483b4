/** Failure points as a tree of calls, from the outermost to the place itself (Mumak, section 4.1), in text. */
import { baseName, counted, printable } from "../../base/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { callText } from "./place-text.ts";

/** A failure point that will be judged. */
export interface PlacedPoint {
  /** Innermost first. */
  readonly frames: readonly Frame[];
  /** What the power is cut before. */
  readonly before: string;
  /** Crash states there. */
  readonly states: number;
}

interface Branch {
  points: number;
  states: number;
  readonly below: Map<string, Branch>;
}

const newBranch = (): Branch => ({ points: 0, states: 0, below: new Map() });

/** "insert btree.c:31", "pmem_persist (libpmem)". */
function lineText({ file, line, ...call }: Frame): string {
  if (file === undefined) return printable(callText(call));
  const where = `${baseName(file)}${line === undefined ? "" : `:${line}`}`;
  return printable(call.function === undefined ? where : `${call.function} ${where}`);
}

/** Outermost first, from main on where it is known: what starts a program says nothing. */
function withoutStart(frames: readonly Frame[]): readonly Frame[] {
  const calls = frames.toReversed();
  const main = calls.findIndex((frame) => frame.function === "main");
  return calls.slice(Math.max(0, main));
}

function plant(points: readonly PlacedPoint[]): Branch {
  const root = newBranch();
  for (const { frames, before, states } of points) {
    const calls = withoutStart(frames).map(lineText);
    const path = [...calls.slice(0, -1), `${calls.at(-1) ?? "an unknown place"}, before ${before}`];
    let branch = root;
    for (const name of [undefined, ...path]) {
      const next: Branch = name === undefined ? branch : (branch.below.get(name) ?? newBranch());
      if (name !== undefined) branch.below.set(name, next);
      next.points++;
      next.states += states;
      branch = next;
    }
  }
  return root;
}

const sizeText = ({ points, states }: Branch): string =>
  `${counted(points, "failure point")}, ${counted(states, "crash state")}`;

function* linesBelow({ below }: Branch, depth: number): Iterable<string> {
  for (const [name, branch] of below) {
    yield `${"  ".repeat(depth)}${name}: ${sizeText(branch)}`;
    yield* linesBelow(branch, depth + 1);
  }
}

export function pointTreeText(points: readonly PlacedPoint[]): string {
  const root = plant(points);
  return [`${sizeText(root)}, by the calls that lead there:`, ...linesBelow(root, 1)].join("\n");
}
