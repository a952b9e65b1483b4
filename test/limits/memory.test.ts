/** What a check holds in memory follows what was written, not how large files are; and mapping more than fits is told. */
import { describe, expect, it } from "vitest";
import { buildGuest } from "../../tools/guests/build.ts";
import { inTemporaryDirectory, runBlackout } from "../end-to-end/command.ts";

const program = buildGuest("programs/written.c", ["-O1", "-g", "-static"]);
const MB = 1e6;

function check(size: number, mapped: number, written: number, how: "flush" | "keep") {
  const pool = ["pool", size, mapped, written].join(" ");
  const recover = ["--recover", `${program} ${pool} look`];
  const options = ["--no-journal", "-j", "1", "--stats", ...recover];
  const { code, stderr } = inTemporaryDirectory((cwd) =>
    runBlackout(["check", ...options, "--", program, ...pool.split(" "), how], { cwd }),
  );
  expect(code).toBe(0);
  const lines = stderr.trim().split("\n");
  return { lines, peakBytes: (JSON.parse(lines.at(-1)!) as { readonly peakBytes: number }).peakBytes };
}

describe("with 1 MiB written, at most 100 MB more than on a pool of 16 MiB", () => {
  const small = check(16, 16, 1024, "flush").peakBytes;
  it.each([
    ["a sparse pool of 2 GiB", 2048, 2048],
    ["a file of 8 GiB of which 64 MiB are mapped", 8192, 64],
  ])("%s", (_what, size, mapped) => {
    expect(check(size, mapped, 1024, "flush").peakBytes - small).toBeLessThan(100 * MB);
  });
});

it("2 MiB of stores that are never flushed: each crash state costs what it names, not the 32 768 lines it loses", () => {
  // How far exploration comes afterwards is a matter of time, and the end of the line says how many it leaves out.
  // How many points there are is a matter of the C library: its exit has instructions with a lock prefix in some versions.
  const judged = /^blackout: [34] failure points, (?:3462|4616) crash states, all judged/;
  expect(check(16, 16, 2048, "keep").lines.filter((line) => judged.test(line))).toHaveLength(1);
});

it("mapping more than fits is ENOMEM and one sentence", () => {
  inTemporaryDirectory((cwd) => {
    const { code, stderr } = runBlackout(["run", "--", program, "pool", "8192", "8000", "1", "flush"], { cwd });
    expect(stderr).toMatch(/^blackout: the guest wants 8388608000 bytes of \S*pool mapped, which does not fit .*\n/);
    expect(stderr).toMatch(/\nmmap: Cannot allocate memory\n$/);
    expect(stderr.trim().split("\n")).toHaveLength(2);
    expect(code).toBe(4);
  });
});
