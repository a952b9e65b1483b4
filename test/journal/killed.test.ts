/** A check that is ended at any moment goes on with the same report in the end; `make fuzz` ends one fifty times. */
import { expect, it } from "vitest";
import { runKilled, undisturbedReport } from "../../tools/mutants/kills.ts";

it("five times by kill -9, and by signals that ask for an end, while its journal is in use", async () => {
  const undisturbed = await undisturbedReport();
  expect(JSON.parse(undisturbed).coverage.exhaustive).toBe(true);
  const kills = Array.from({ length: 5 }, () => "SIGKILL" as const);
  await runKilled(1, ["SIGINT", ...kills, "SIGTERM", "SIGHUP"], undisturbed);
});
