/** A fleet says what one computer says, byte for byte, whatever befalls its workers, its Redis and its leader. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { type Job, Worker } from "bullmq";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { fleetKeys, queueName, type UnitJob } from "../../src/fleet/names.ts";
import { timedText } from "../../src/session/work/index.ts";
import { checkGuest, pool } from "../check/guests.ts";
import {
  blackout,
  inTemporaryDirectory,
  inTemporaryDirectoryLater,
  runBlackout,
  startBlackout,
  withoutDirectory,
} from "../end-to-end/command.ts";
import { hasRedis, startRedis, type TestRedis } from "./redis.ts";

const report = "report.json";
/** Every state runs, so that there is work for others. */
const thorough = ["--no-memo", "--granularity", "store", "--all-points"];
const commands: Readonly<Record<string, readonly string[]>> = {
  check: ["check", ...thorough, "--", checkGuest("list", "LOST_ACK"), pool],
  explore: ["explore", "--", checkGuest("hashmap", "LOST_ACK"), pool],
};

const reportIn = (directory: string) => withoutDirectory(readFileSync(join(directory, report), "utf8"), directory);

const withOptions = ([name, ...rest]: readonly string[], ...options: readonly string[]) => [
  name!,
  ...["--format", "json", "--report", report, "--journal", "kept"],
  ...options,
  ...rest,
];

const folder = mkdtempSync(join(tmpdir(), "blackout-fleet-"));
let redis: TestRedis;
const alone = new Map<string, string>();
const workers: ChildProcess[] = [];

beforeAll(async () => {
  if (!hasRedis) return;
  redis = await startRedis(folder);
  for (const [name, command] of Object.entries(commands))
    inTemporaryDirectory((directory) => {
      expect(runBlackout(withOptions(command, "-j", "1"), { cwd: directory }).code).toBe(1);
      alone.set(name, reportIn(directory));
    });
});

async function startWorker(fleet: string): Promise<ChildProcess> {
  const args = ["worker", "--redis", redis.url, "--fleet", fleet, "-j", "1"];
  const child = spawn(blackout, args, { stdio: ["ignore", "ignore", "pipe"] });
  workers.push(child);
  await once(child.stderr!, "data");
  child.stderr!.resume();
  return child;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

afterEach(async () => {
  await Promise.all(workers.splice(0).map((child) => end(child, "SIGKILL")));
});
afterAll(async () => {
  await redis?.stop();
  rmSync(folder, { recursive: true });
});

interface Status {
  readonly workers: readonly { readonly units: number }[];
  readonly waiting: number;
  readonly active: number;
}

const statusOf = (fleet: string): Status =>
  JSON.parse(runBlackout(["fleet", "status", "--json", "--redis", redis.url, "--fleet", fleet]).stdout) as Status;

const lead = (name: string, fleet: string, directory: string) =>
  startBlackout(withOptions(commands[name]!, "--redis", redis.url, "--fleet", fleet), directory);

const journalBytes = (directory: string) =>
  statSync(join(directory, "kept/journal"), { throwIfNoEntry: false })?.size ?? 0;

describe.skipIf(!hasRedis)("a fleet", () => {
  it.each([
    ["check", 1],
    ["check", 3],
    ["explore", 3],
  ])("says what one computer says: %s by %i", async (name, count) => {
    const fleet = `${name}-${count}`;
    await Promise.all(Array.from({ length: count }, () => startWorker(fleet)));
    await inTemporaryDirectoryLater(async (directory) => {
      expect((await lead(name, fleet, directory).ended).code).toBe(1);
      expect(reportIn(directory)).toBe(alone.get(name));
    });
    // Workers say every few seconds what they have done.
    while (statusOf(fleet).workers.every(({ units }) => units === 0)) await setTimeout(100);
    const { waiting, active } = statusOf(fleet);
    expect([waiting, active]).toEqual([0, 0]);
  });

  it("loses workers that are killed, and says the same", async () => {
    const [first] = await Promise.all([startWorker("lost"), startWorker("lost")]);
    await inTemporaryDirectoryLater(async (directory) => {
      const { ended } = lead("check", "lost", directory);
      while (journalBytes(directory) === 0) await setTimeout(5);
      await end(first!, "SIGKILL");
      expect((await ended).code).toBe(1);
      expect(reportIn(directory)).toBe(alone.get("check"));
    });
  });

  it("goes on when Redis was killed and is back", async () => {
    await startWorker("back");
    await inTemporaryDirectoryLater(async (directory) => {
      const { ended } = lead("check", "back", directory);
      while (journalBytes(directory) === 0) await setTimeout(5);
      await redis.restart();
      expect((await ended).code).toBe(1);
      expect(reportIn(directory)).toBe(alone.get("check"));
    });
  });

  it("is led on by --resume when the leader was killed", async () => {
    await startWorker("led");
    await inTemporaryDirectoryLater(async (directory) => {
      const { child, ended } = lead("check", "led", directory);
      while (journalBytes(directory) === 0) await setTimeout(20);
      child.kill("SIGKILL");
      await ended;
      const resumed = withOptions(commands["check"]!, "--resume", "--redis", redis.url, "--fleet", "led");
      expect((await startBlackout(resumed, directory).ended).code).toBe(1);
      expect(reportIn(directory)).toBe(alone.get("check"));
      expect(existsSync(join(directory, "kept"))).toBe(false);
    });
  });
});

/** A worker that answers each unit as it likes. */
function startStranger(fleet: string, answer: (job: UnitJob) => string): Worker {
  const { prefix } = fleetKeys(fleet);
  const connection = { host: "127.0.0.1", port: redis.port, maxRetriesPerRequest: null };
  return new Worker(queueName, async ({ data }: Job<UnitJob>) => answer(data), { connection, prefix });
}

describe.skipIf(!hasRedis)("a stranger among the workers", () => {
  const fails = (): string => {
    throw new Error("this unit kills its worker");
  };
  it.each([
    ["fails each unit", fails],
    ["answers with no result", () => "{}"],
    ["answers for another unit", () => timedText({ result: { unit: "another", tested: 1 }, seconds: 1 })],
  ])("%s: the leader judges it, and says the same", async (what, answer) => {
    const stranger = startStranger(what.replaceAll(" ", "-"), answer);
    await inTemporaryDirectoryLater(async (directory) => {
      expect((await lead("check", what.replaceAll(" ", "-"), directory).ended).code).toBe(1);
      expect(reportIn(directory)).toBe(alone.get("check"));
    });
    await stranger.close();
  });
});

describe("a fleet that cannot be had", () => {
  const refused = (...options: readonly string[]) =>
    runBlackout(["check", "--no-journal", ...options, "--", checkGuest("list", "LOST_ACK"), pool]);
  it("is refused with a sentence", () => {
    expect(refused("--redis", "redis://127.0.0.1:1")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("Redis at redis://127.0.0.1:1 cannot be reached"),
    });
    expect(refused("--redis", "nowhere")).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("A fleet's Redis is named like redis://HOST:PORT."),
    });
  });
});
