/** `blackout fleet status`: who is in a fleet and what they do. */
import type { Command } from "commander";
import { counted, InputError, printable } from "../../base/index.ts";
import { fleetStatus, type WorkerState } from "../../fleet/index.ts";
import { stdoutLine } from "../../host/index.ts";
import { exitCode } from "./exit-codes.ts";
import { type FleetFlags, fleetAddress } from "./fleet-flags.ts";
import { ownCommand } from "./options.ts";

interface StatusFlags extends FleetFlags {
  readonly json?: boolean;
}

// biome-ignore format: columns stay aligned
export const fleetCommandLine = (): Command =>
  ownCommand("blackout fleet")
    .description("status: says who is in a fleet, what they do, and what waits for them.")
    .argument("<what>", "status")
    .option("--redis <url>",           "the fleet's Redis (default: BLACKOUT_REDIS)")
    .option("--fleet <name>",          "which of the fleets that share a Redis", "default")
    .option("--json",                  "one line of JSON");

const workerLine = ({ host, slots, busy, units, failed }: WorkerState): string =>
  `  ${printable(host)}: ${busy} of ${slots} busy, ${counted(units, "unit")} judged${failed > 0 ? `, ${failed} failed` : ""}`;

export async function fleetCommand(args: readonly string[]): Promise<number> {
  const command = fleetCommandLine();
  command.parse(args, { from: "user" });
  if (command.args[0] !== "status")
    throw new InputError("fleet/what", `blackout fleet says its status: there is no ${command.args[0]}.`);
  const flags = command.opts<StatusFlags>();
  const address = fleetAddress(flags);
  if (address === undefined)
    throw new InputError("fleet/address", "blackout fleet needs the fleet's Redis: --redis redis://HOST:PORT.");
  const { workers, waiting, active } = await fleetStatus(address);
  if (flags.json) stdoutLine(JSON.stringify({ fleet: address.fleet, workers, waiting, active }));
  else {
    const slots = workers.reduce((sum, worker) => sum + worker.slots, 0);
    stdoutLine(
      `The fleet ${address.fleet} has ${counted(workers.length, "worker")} for ${counted(slots, "unit")} at once; ${active} under way, ${waiting} waiting.`,
    );
    for (const worker of workers) stdoutLine(workerLine(worker));
  }
  return exitCode.clean;
}
