/** A check or an exploration that is ended at any moment goes on with the same report in the end; `make fuzz` ends each fifty times. */
import { expect, it } from "vitest";
import { runKilled, type Signal, undisturbedReport } from "../../tools/mutants/kills.ts";

const kills = (count: number): readonly Signal[] => Array.from({ length: count }, () => "SIGKILL" as const);

it.each([
  ["check", ["SIGINT", ...kills(5), "SIGTERM", "SIGHUP"]],
  ["explore", ["SIGINT", ...kills(2), "SIGTERM"]],
] as const)("of %s, while its journal is in use: %j", async (command, signals) => {
  const undisturbed = await undisturbedReport(command);
  expect(JSON.parse(undisturbed).coverage.exhaustive).toBe(true);
  await runKilled(command, 1, signals, undisturbed);
});
