/** One process at a time goes on with a journal; a lock whose process is gone is free. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { AppendFile, readAppended } from "../../src/host/index.ts";

const folder = mkdtempSync(join(tmpdir(), "blackout-journal-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a journal in use by a living process is not taken up; one of a process that is gone is", async () => {
  const first = AppendFile.create(folder, "journal");
  first.append("one\n");
  first.close();
  const other = spawn("sleep", ["1000"]);
  await once(other, "spawn");
  const start = readFileSync(`/proc/${other.pid}/stat`, "latin1").split(") ")[1]!.split(" ")[19];
  writeFileSync(join(folder, "journal.lock"), `${other.pid} ${start}\n`);
  expect(() => AppendFile.resume(folder, "journal", 4)).toThrow(`in use by another check, process ${other.pid}`);
  expect(readAppended(folder, "journal")).toBe("one\n");
  other.kill("SIGKILL");
  await once(other, "close");
  const second = AppendFile.resume(folder, "journal", 4);
  second.append("two\n");
  expect(readAppended(folder, "journal")).toBe("one\ntwo\n");
  second.remove();
  expect(readAppended(folder, "journal")).toBeUndefined();
});
