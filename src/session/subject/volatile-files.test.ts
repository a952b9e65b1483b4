/** Which files are told as none that a crash leaves. */
import { expect, it } from "vitest";
import { volatileFileLines } from "./volatile-files.ts";

const lines = (persistent: readonly string[], pm: readonly string[] = []) =>
  volatileFileLines({ persistent, unmatched: [], written: 0, unsupported: [] }, pm);

it.each([
  ["/tmp/db.sqlite-shm", "SQLite's index of its write-ahead log"],
  ["/data/lock.mdb", "LMDB's table of readers"],
  ["/data/x.mdb-lock", "LMDB's table of readers"],
  ["/env/__db.001", "Berkeley DB's environment"],
  ["/dev/shm/sem.turn", "a semaphore"],
  ["/memfd:area (deleted)", "memory without a file"],
])("%s is %s", (path, is) => {
  expect(lines([path, "/tmp/pool"])).toEqual([
    `${path} is judged as persistent memory, and is ${is}, which no crash leaves: name your files with --pm GLOB`,
  ]);
});

it("says nothing of other files, nor where the user said what is persistent memory", () => {
  expect(lines(["/tmp/pool", "/tmp/shm", "/tmp/data.mdb", "/dev/shm/pool", "/tmp/semantics"])).toEqual([]);
  expect(lines(["/tmp/lock.mdb"], ["*.mdb"])).toEqual([]);
});
