/** Mumak's Figure 2: the failure points of its program, and the tree that they make. */
import { describe, expect, it } from "vitest";
import { CrashWalk, type FailurePoint, type Granularity, type PointNode } from "../../src/crash/states/index.ts";
import { readIfThere } from "../../src/host/index.ts";
import { ModuleMap, Resolver } from "../../src/program/symbols/index.ts";
import { Recorder } from "../../src/trace/events/index.ts";
import { finish, loadGuest } from "../support/programs.ts";
import { checkGuest, pool } from "./guests.ts";

interface ShownNode {
  readonly at: string;
  readonly below?: readonly ShownNode[];
}

/** Runs the figure's program and names its failure points and their tree, from main on. */
function failurePoints(options: { granularity?: Granularity; allPoints?: boolean } = {}) {
  const points: FailurePoint[] = [];
  let walk: CrashWalk | undefined;
  let resolver: Resolver | undefined;
  const recorder = new Recorder([
    (tables) => {
      const modules = new ModuleMap(tables);
      resolver = new Resolver({ tables, modules, readFile: readIfThere });
      return modules;
    },
    (tables) => {
      walk = new CrashWalk(tables, {
        granularity: options.granularity ?? "flush",
        allPoints: options.allPoints ?? false,
        readBase: () => new Uint8Array(64),
        visit: (point) => points.push(point),
      });
      return walk;
    },
  ]);
  const guest = loadGuest([checkGuest("figure2", undefined), pool], { trace: { recorder, annotations: false } });
  finish(guest);
  guest.machine.endTrace();
  const place = (site: number): string => {
    const frame = resolver!.frames(site, 0)[0];
    return `${frame?.function} at ${frame?.line}`;
  };
  const shown = ({ site, children }: PointNode): ShownNode =>
    children.length === 0 ? { at: place(site) } : { at: place(site - 1), below: children.map(shown) };
  const fromMain = (node: PointNode): readonly ShownNode[] => {
    const own = node.children.map(shown).filter(({ at }) => at.startsWith("main "));
    return own.length > 0 ? own : node.children.flatMap(fromMain);
  };
  return {
    points: points.map(({ before, site }) => (before === "end" ? "end" : `${before}: ${place(site)}`)),
    tree: fromMain(walk!.tree.root),
  };
}

const figure: readonly ShownNode[] = [
  { at: "main at 16" },
  { at: "main at 19", below: [{ at: "persist_word at 2" }] },
  { at: "main at 20", below: [{ at: "redundant_loop at 8", below: [{ at: "persist_word at 2" }] }] },
];

describe("the failure points of Figure 2", () => {
  it("are the code paths to lines 2 and 16, in the order of the run; lines 3 and 17 leave the same state", () => {
    const { points, tree } = failurePoints();
    expect(points).toEqual(["clwb: main at 16", "clwb: persist_word at 2", "clwb: persist_word at 2", "end"]);
    expect(tree).toEqual(figure);
  });
  it("come once for each round of the loop when all are wanted, and the tree stays the same", () => {
    const every = failurePoints({ allPoints: true });
    expect(every.points).toEqual(["clwb: main at 16", ...Array<string>(21).fill("clwb: persist_word at 2"), "end"]);
    expect(every.tree).toEqual(figure);
  });
});
