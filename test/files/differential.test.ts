/**
 * Our file tree against the real kernel: the same random calls on a copy of the same directory must give the same
 * answers, error numbers and bytes included. The host directory below our tree must stay as it was.
 */
import { execFileSync, spawnSync } from "node:child_process";
import * as fs from "node:fs";
import * as os from "node:os";
import * as path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { below, seedRandom } from "../../src/base/index.ts";
import { RealFiles } from "../../src/host/index.ts";
import { isPrivateToExt4, type Operation, perform, randomOperation, type Shape } from "./operations.ts";
import { makeFiles } from "./support.ts";

const SEEDS = Number(process.env["FILES_SEEDS"] ?? 60);
const FIRST = Number(process.env["FILES_FIRST_SEED"] ?? 0);
const LENGTH = 400;
const EXT4 = 0xef53;
const isRoot = process.geteuid?.() === 0;

let base = "";
let oracle = "";

beforeAll(() => {
  base = fs.mkdtempSync(path.join(os.tmpdir(), "blackout-files-"));
  fs.chmodSync(base, 0o755);
  oracle = path.join(base, "oracle");
  execFileSync("gcc", ["-O1", "-o", oracle, path.join(import.meta.dirname, "oracle.c")]);
});

afterAll(() => fs.rmSync(base, { recursive: true, force: true }));

/** A directory with something in it, owned by whoever makes the real calls. */
function plant(directory: string, owner: number | undefined): void {
  fs.mkdirSync(path.join(directory, "sub/a"), { recursive: true });
  fs.writeFileSync(path.join(directory, "low"), Buffer.alloc(10_000, "lower "));
  fs.writeFileSync(path.join(directory, "sub/b"), "below");
  fs.linkSync(path.join(directory, "sub/b"), path.join(directory, "sub/c"));
  fs.symlinkSync("sub/a", path.join(directory, "e"));
  fs.symlinkSync("../low", path.join(directory, "sub/d"));
  if (owner === undefined) return;
  for (const name of ["", ...(fs.readdirSync(directory, { recursive: true }) as string[])])
    fs.lchownSync(path.join(directory, name), owner, owner);
}

function listAll(directory: string): readonly string[] {
  const names = fs.readdirSync(directory, { recursive: true }) as string[];
  return names
    .sort((left, right) => (left < right ? -1 : 1))
    .map((name) => {
      const stat = fs.lstatSync(path.join(directory, name));
      const contents = stat.isFile() ? fs.readFileSync(path.join(directory, name), "latin1") : "";
      return `${name} ${stat.mode.toString(8)} ${stat.size} ${stat.mtimeMs} ${contents}`;
    });
}

function answersOfKernel(directory: string, operations: readonly Operation[]): readonly string[] {
  const input = operations.map((operation) => operation.join(" ")).join("\n");
  const run = spawnSync(oracle, [directory], {
    input: `${input}\n`,
    encoding: "latin1",
    maxBuffer: 1 << 28,
    timeout: 20_000,
  });
  expect(run.status, run.stderr).toBe(0);
  return run.stdout.split("\n").map((line) => line.trimEnd());
}

describe("the file tree answers as the real kernel does", () => {
  for (let seed = FIRST; seed < FIRST + SEEDS; seed++)
    test(`seed ${seed}`, () => {
      const real = path.join(base, `real-${seed}`);
      const lower = path.join(base, `lower-${seed}`);
      plant(real, isRoot ? 1000 : undefined);
      plant(lower, undefined);
      const before = listAll(lower);
      const fstype = Number(answersOfKernel(real, [["fstype"]])[0]);
      const shape: Shape = { absolute: isRoot, holes: fstype === EXT4 };
      const random = seedRandom(seed);
      const { files } = makeFiles(new RealFiles(), { root: lower });
      const operations: Operation[] = [];
      const ours: string[] = [];
      let reserved = false;
      for (let i = 0; i < LENGTH; i++) {
        const operation = randomOperation(random, shape);
        // Whether a reserved page counts as data depends on what the page cache holds.
        const asksForHoles = operation[0] === "lseek" && Number(operation[3]) >= 3;
        if (isPrivateToExt4(files, operation) || (reserved && asksForHoles)) continue;
        // A snapshot now and then must change nothing.
        if (below(random, 20) === 0) files.restore(files.snapshot());
        operations.push(operation);
        const answer = perform(files, operation);
        ours.push(answer);
        if (operation[0] === "fallocate" && operation[2] !== 3 && answer === "0") reserved = true;
      }
      const theirs = answersOfKernel(real, operations);
      const at = ours.findIndex((answer, i) => answer !== theirs[i]);
      if (at >= 0) {
        const history = operations
          .slice(0, at + 1)
          .map((operation, i) => `${operation.join(" ").slice(0, 100)} → ${ours[i]?.slice(0, 60)}`);
        expect.fail(
          `seed ${seed}, call ${at}: ${operations[at]?.join(" ").slice(0, 200)}\n  ours:   ${ours[at]?.slice(0, 200)}\n  kernel: ${theirs[at]?.slice(0, 200)}\n${history.slice(-60).join("\n")}`,
        );
      }
      expect(listAll(lower)).toEqual(before);
    });
});
