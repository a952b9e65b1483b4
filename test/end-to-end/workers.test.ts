/** `blackout check` with workers: the built command, as a user runs it. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { checkGuest } from "../check/guests.ts";
import { inTemporaryDirectory, runBlackout } from "./command.ts";

it("the report does not depend on the number of workers", () =>
  inTemporaryDirectory((directory) => {
    const guest = checkGuest("list", "LOST_ACK");
    const check = (jobs: number) => {
      const report = join(directory, `${jobs}.json`);
      const options = ["--granularity", "store", "--all-points", "--format", "json", "--report", report];
      const { code } = runBlackout(["check", "-j", String(jobs), ...options, "--", guest, "list.img"], {
        cwd: directory,
      });
      expect(code).toBe(1);
      return readFileSync(report, "utf8");
    };
    expect(check(2)).toBe(check(1));
  }));
