/**
 * Descriptors and shared mappings of the same files, growth, truncation and holes among them: the same random calls, made by
 * one program (guests/machine/shared-files.c) natively and in the machine, get the same answers. What the machine leaves of
 * granted files is what the real kernel leaves.
 */
import { spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { below, pick, type RandomState, seedRandom } from "../../src/base/index.ts";
import { pathFromText } from "../../src/machine/index.ts";
import { compileGuest, finish, loadGuest } from "../support/programs.ts";

const SEEDS = Number(process.env["FILES_SEEDS"] ?? 12);
const FIRST = Number(process.env["FILES_FIRST_SEED"] ?? 0);
const LENGTH = 250;
const EXT4 = 0xef53;
const PAGE = 4096;
const O_DSYNC = 0o10000;
const O_TRUNC = 0o1000;
const [KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE] = [1, 3, 16];
const [MS_ASYNC, MS_SYNC] = [1, 4];

let base = "";
beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "blackout-mappings-"));
});
afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

type Operation = readonly [name: string, slot: number, a: number, b: number, c: number];

/** Seeking for holes, or reserving space: what ext4 says of reserved pages depends on what its page cache holds. */
type Shape = "seeks" | "reserves";

function randomOperation(random: RandomState, shape: Shape): Operation {
  const file = () => below(random, 4);
  const mapping = () => below(random, 5);
  const offset = () => pick(random, [0, 1, 100, 4090, PAGE, 5000, 2 * PAGE, 3 * PAGE - 8, 20_000, 40_000]);
  const length = () => pick(random, [1, 8, 64, 100, PAGE, PAGE + 1, 10_000]);
  const size = () => pick(random, [0, 1, 100, PAGE - 1, PAGE, PAGE + 5, 2 * PAGE, 10_000, 30_000, 60_000, 2 ** 40]);
  const value = () => 1 + below(random, 255);
  const makers: (() => Operation)[] = [
    () => ["open", file(), below(random, 2), 2 | pick(random, [0, 0, 0, O_DSYNC, O_TRUNC]), 0],
    () => ["write", file(), offset(), length(), value()],
    () => ["write", file(), offset(), length(), value()],
    () => ["read", file(), offset(), length(), 0],
    () => ["truncate", file(), size(), 0, 0],
    () => ["truncate", file(), size() % 2 ** 40, 0, 0],
    shape === "seeks"
      ? () => ["seek", file(), offset(), pick(random, [3, 4]), 0]
      : () => ["fallocate", file(), offset(), length(), pick(random, [0, KEEP_SIZE, ZERO_RANGE])],
    () => ["fallocate", file(), offset(), length(), PUNCH_HOLE],
    () => ["z-size", file(), 0, 0, 0],
    () => ["map", mapping(), file(), PAGE * below(random, 3), 8 * (1 + below(random, 16)) + pick(random, [1, 3, 3])],
    () => ["map", mapping(), file(), 0, 8 * 16 + 3],
    () => ["Move", mapping(), PAGE * (1 + below(random, 18)), 0, 0],
    () => ["unmap", mapping(), below(random, 2), 0, 0],
    () => ["protect", mapping(), pick(random, [1, 3]), 0, 0],
    () => ["ysync", mapping(), pick(random, [MS_ASYNC, MS_SYNC]), 0, 0],
    () => ["discard", mapping(), 0, 0, 0],
    ...Array.from({ length: 5 }, () => (): Operation => ["Load", mapping(), offset(), length(), 0]),
    ...Array.from({ length: 5 }, () => (): Operation => ["Store", mapping(), offset(), length(), value()]),
  ];
  return pick(random, makers)();
}

function randomInput(seed: number, shape: Shape): string {
  const random = seedRandom(seed);
  const first = [0, 1, 2, 3].map((slot): Operation => ["open", slot, slot % 2, 2, 0]);
  const rest = Array.from({ length: LENGTH }, () => randomOperation(random, shape));
  return [...first, ...rest].map((operation) => `${operation.join(" ")}\n`).join("");
}

/** A directory with one of the two files in it. */
function plant(name: string): string {
  const directory = path.join(base, name);
  fs.mkdirSync(directory);
  fs.writeFileSync(path.join(directory, "file1"), Buffer.alloc(9000, "host"));
  return directory;
}

const contents = (directory: string): readonly string[] =>
  ["file0", "file1"].map((name) => {
    const file = path.join(directory, name);
    const { size } = fs.statSync(file);
    const start = Buffer.alloc(Math.min(size, 1 << 20));
    const fd = fs.openSync(file, "r");
    fs.readSync(fd, start);
    fs.closeSync(fd);
    return `${size} ${start.toString("latin1")}`;
  });

const isExt4 = fs.statfsSync(os.tmpdir()).type === EXT4;

describe("mappings and descriptors answer as the real kernel does", () => {
  const program = compileGuest("machine/shared-files.c", ["-O1", "-Wall", "-Wextra", "-Werror"]);
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    test(`seed ${seed}`, () => {
      const shape = isExt4 && seed % 2 === 0 ? "seeks" : "reserves";
      const input = randomInput(seed, shape);
      const native = plant(`native-${seed}`);
      const { stdout, status } = spawnSync(program, { cwd: native, input, encoding: "latin1" });
      expect(status).toBe(0);
      for (const granted of [false, true]) {
        // What the host's own files hold cannot be asked for, so that it all counts as data.
        if (granted && shape === "seeks") continue;
        const directory = plant(`${granted ? "granted" : "overlay"}-${seed}`);
        const here = pathFromText(directory);
        const guest = loadGuest([program], {
          workingDirectory: here,
          grants: granted ? [here] : [],
          // Files of the host count by their size, holes included.
          limits: { bytes: 2 ** 44 },
          hotAfter: seed % 6 === 0 ? 20 : 0,
          input,
        });
        const ours = finish(guest);
        guest.machine.writeBack();
        compare(seed, input, stdout, ours.stdout);
        expect(ours.outcome).toMatchObject({ kind: "exit", code: 0 });
        if (granted) expect(contents(directory)).toEqual(contents(native));
        else expect(fs.readdirSync(directory)).toEqual(["file1"]);
      }
    });
});

/** Fails at the first answer that differs, with the calls that led there. */
function compare(seed: number, input: string, native: string, ours: string): void {
  const [left, right, calls] = [native.split("\n"), ours.split("\n"), input.split("\n")];
  const at = left.findIndex((answer, i) => answer !== right[i]);
  if (at < 0) return;
  const history = calls.slice(0, at + 1).map((call, i) => `${call} → ${right[i]?.slice(0, 80)}`);
  expect.fail(
    `seed ${seed}, call ${at}: ${calls[at]}\n  ours:   ${right[at]?.slice(0, 200)}\n  kernel: ${left[at]?.slice(0, 200)}\n${history.slice(-60).join("\n")}`,
  );
}
