/** The alarm is asked again and again whatever a program does: also within one call, and within one instruction. */
import { execFileSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { Stopped } from "../../src/base/index.ts";
import { realPorts } from "../../src/host/index.ts";
import { Subject } from "../../src/session/subject/index.ts";
import { buildGuest } from "../../tools/guests/build.ts";
import { runBlackout } from "../end-to-end/command.ts";

const slow = buildGuest("programs/slow.c", ["-O1"]);
const ways = execFileSync(slow, { encoding: "utf8" }).trim().split("\n");
const filling = ["memfds", "write_of_all", "full_pipes"];

/** So many questions, after which the command's time is over. A way that is never asked about goes on for minutes. */
const questions = 12;

function runAsked(way: string) {
  let asked = 0;
  const alarm = () => {
    if (++asked === questions) throw new Stopped("time", "enough was asked");
  };
  const options = {
    directory: "/",
    env: [],
    seed: 0,
    cpu: "v3",
    limits: { bytes: 2 ** 31, descriptors: 2000 },
    jit: true,
    pm: [],
  } as const;
  const program = { program: [slow, way], pmMode: "dax", annotated: false } as const;
  const outcome = new Subject({ ...options, ...program }, { ...realPorts(), alarm }).watch([], false);
  return { asked, outcome };
}

describe("the alarm ends a program that", () => {
  it.each(ways)("%s", (way) => {
    const { asked, outcome } = runAsked(way);
    expect(asked).toBe(questions);
    expect(outcome).toEqual({ kind: "limit", limit: "time", message: "enough was asked" });
  });
});

describe("the limit on Blackout's own memory ends a program that", () => {
  it.each(filling)("%s", (way) => {
    const limits = ["--max-host-memory", "300M", "--max-file-bytes", "2G", "--max-descriptors", "2000"];
    const { code, stderr } = runBlackout(["run", ...limits, "--", slow, way]);
    expect(stderr).toMatch(/Blackout holds more than its limit of 300000000 bytes of memory/);
    expect(code).toBe(3);
  });
});
