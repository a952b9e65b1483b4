/**
 * What somebody may plant in place of a name that a command writes: links to a folder of somebody else's and to what is in it, by
 * which nothing there may change, pipes that nobody reads, and what is of another kind. Only the place itself is planted.
 */
import { execFileSync } from "node:child_process";
import {
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { below, pick, type RandomState } from "../../../src/base/index.ts";

/** Where a command works, and a folder of somebody else's. */
export interface Ground {
  readonly own: string;
  readonly foreign: string;
  readonly pipe: string;
}

const precious = ["victim", "journal", "report.json", "witness.json", "files/a.pool", "crashed/1/open.sh", "1/input"];

export function makeGround(base: string): Ground {
  const ground = { own: join(base, "own"), foreign: join(base, "foreign"), pipe: join(base, "pipe") };
  mkdirSync(ground.own);
  for (const name of precious) {
    mkdirSync(dirname(join(ground.foreign, name)), { recursive: true });
    writeFileSync(join(ground.foreign, name), `${name} is precious`);
  }
  execFileSync("mkfifo", [ground.pipe]);
  return ground;
}

/** Names, kinds, modes, times, contents; how many names a file has is nobody's affair. */
export function foreignTree({ foreign }: Ground): string {
  const names = readdirSync(foreign, { recursive: true, encoding: "utf8" }).sort((a, b) => (a < b ? -1 : 1));
  return names
    .map((name) => {
      const path = join(foreign, name);
      const { mode, mtimeMs, uid } = lstatSync(path);
      return [name, mode.toString(8), uid, mtimeMs, readsAs(path)].join(" ");
    })
    .join("\n");
}

function readsAs(path: string): string {
  const found = lstatSync(path);
  if (found.isSymbolicLink()) return readlinkSync(path);
  return found.isFile() ? readFileSync(path, "latin1") : "";
}

type Obstacle = (place: string, ground: Ground, random: RandomState) => void;

const obstacles: readonly Obstacle[] = [
  (place, { foreign }, random) => symlinkSync(join(foreign, pick(random, precious)), place),
  (place, { foreign }, random) => symlinkSync(join(foreign, pick(random, ["", "files", "crashed", "1"])), place),
  (place, { foreign }) => symlinkSync(join(foreign, "new"), place),
  (place, { foreign }, random) => linkSync(join(foreign, pick(random, precious)), place),
  (place, { pipe }) => linkSync(pipe, place),
  (place) => symlinkSync(place, place),
  (place) => mkdirSync(place),
  (place) => writeFileSync(place, "old"),
];

/** Whether the folder of a place is still one of the command's own: what stands behind a link is left alone. */
function isOwn(place: string, { own }: Ground): boolean {
  const folder = realpathSync(dirname(place));
  return folder === own || folder.startsWith(`${own}/`);
}

/** Plants something in a place, or takes away what is there. What a command does there meanwhile may be in the way. */
export function disturb(place: string, ground: Ground, random: RandomState): void {
  try {
    if (!isOwn(place, ground)) return;
    if (below(random, 2) === 0) rmSync(place, { recursive: true, force: true });
    else renameSync(place, `${place}.away${below(random, 1000)}`);
  } catch {
    // There is nothing, or it went.
  }
  try {
    if (below(random, 4) > 0 && isOwn(place, ground)) pick(random, obstacles)(place, ground, random);
  } catch {
    // Something has come meanwhile.
  }
}
