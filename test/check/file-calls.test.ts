/**
 * File calls on a pool that is mapped, or was: what they leave is durable at once, and so is what was stored to the same lines
 * before. Each way has a twin that promises too early, which is found. Rules judge a store when its memory goes, before the fsync.
 */
import { describe, expect, it } from "vitest";
import { reportOf } from "../support/findings.ts";
import { checkGuest } from "./guests.ts";

const pool = "/tmp/blackout-calls-pool.img";
const ways = ["pwrite", "write", "line", "later", "unmapped", "copied", "sendfile", "cut", "punched", "fsync"];

async function told(way: string, bug?: string): Promise<readonly string[]> {
  const program = checkGuest("calls", bug);
  const words = [
    ...["--setup", `${program} ${pool} ${way} make`],
    ...["--recover", `${program} ${pool} ${way} check`],
    ...(way === "fsync" ? ["--no-rules"] : []),
  ];
  const { findings } = await reportOf("check", [
    ...["--all-points", "--granularity", "store"],
    ...[...words, "--", program, pool, way],
  ]);
  return findings.map(({ rule, severity }) => `${severity} ${rule}`);
}

describe.each(ways)("%s", (way) => {
  it("breaks no promise", async () => expect(await told(way)).toEqual([]));
  it("is missed where the promise comes first", async () =>
    expect(await told(way, "EARLY")).toContain("error recovery-fails"));
});
