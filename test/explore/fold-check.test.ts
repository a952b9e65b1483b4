/** Which functions pass for a checksum of many lines, looked at one by one. */
import { expect, it } from "vitest";
import { planPoints } from "../../src/crash/recovery-tree/index.ts";
import { crashAt } from "../../src/crash/states/index.ts";
import { exploreEngine } from "../../src/engines/index.ts";
import { FoldCheck } from "../../src/exploration/recovery-paths/fold-check.ts";
import { pathFromText } from "../../src/machine/index.ts";
import { compileGuest } from "../support/programs.ts";
import { sceneOf } from "../support/scene.ts";
import { pool } from "./support.ts";

const guest = compileGuest("explore/checksum.c", ["-O1", "-g", "-static"]);

it.each([
  ["recover", "checksum", "checksum"],
  // It says only whether the checksum is right: the same for every wrong one.
  ["recover", "checked", undefined],
  ["sum", "sum_of", undefined],
  ["count", "wrong_in", undefined],
  ["copy", "copy_of", undefined],
])("%s: %s", (how, name, folds) => {
  const commands = { setup: [guest, "setup", pool], recover: [guest, how, pool] };
  const { subject, run, judging } = sceneOf([guest, "run", pool], commands, exploreEngine().undisturbed);
  const { points, source } = planPoints(run.trace, run.history, "px86");
  const { layout } = crashAt(source, { before: points.point(points.count - 1).seq, cuts: [] })!;
  const { recovery, machine } = subject.recovery({});
  const paths = new Set(points.tables.paths.map(pathFromText));
  const entry = machine.symbol(name)!;
  expect(new FoldCheck(recovery, paths, judging.hangLimit).nameOf({ entry, name }, layout, () => true, 32)).toBe(folds);
});
