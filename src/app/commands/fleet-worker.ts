/** `blackout worker`: judges for the checks of other computers until it is told to end. */
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { counted, InputError } from "../../base/index.ts";
import { Station } from "../../fleet/index.ts";
import { coreCount, stderrLine, watchInterrupts } from "../../host/index.ts";
import { exitCode } from "./exit-codes.ts";
import { buildIdentity, type FleetFlags, fleetAddress } from "./fleet-flags.ts";
import { atLeastOne, ownCommand } from "./options.ts";

interface WorkerFlags extends FleetFlags {
  readonly jobs?: number;
}

// biome-ignore format: columns stay aligned
export const workerCommandLine = (): Command =>
  ownCommand("blackout worker")
    .description("Judges for the checks of other computers that say --redis, until it is told to end. Guests are contained as always.")
    .option("--redis <url>",           "the fleet's Redis (default: BLACKOUT_REDIS)")
    .option("--fleet <name>",          "which of the fleets that share a Redis", "default")
    .option("-j, --jobs <n>",          "units judged at once (default: as many as there are cores)", atLeastOne("--jobs"));

const threadProgram = (): string => fileURLToPath(new URL("./fleet-thread.mjs", import.meta.url));

export async function workerCommand(args: readonly string[]): Promise<number> {
  const command = workerCommandLine();
  command.parse(args, { from: "user" });
  const flags = command.opts<WorkerFlags>();
  const address = fleetAddress(flags);
  if (address === undefined)
    throw new InputError("fleet/address", "blackout worker needs the fleet's Redis: --redis redis://HOST:PORT.");
  const slots = flags.jobs ?? coreCount();
  let told = () => {};
  const end = new Promise<void>((resolve) => {
    told = resolve;
  });
  const unwatch = watchInterrupts(() => told());
  const station = await Station.open({ ...address, slots, build: buildIdentity(), program: threadProgram() });
  stderrLine(`blackout: judging ${counted(slots, "unit")} at once for the fleet ${address.fleet}`);
  await end;
  await station.close();
  await unwatch();
  return exitCode.clean;
}
