/** Options of commands that other computers may judge for. */
import { basename } from "node:path";
import { env } from "node:process";
import { fileURLToPath } from "node:url";
import type { Command } from "commander";
import { InputError } from "../../base/index.ts";
import { type FleetAddress, FleetLead } from "../../fleet/index.ts";
import { realPorts } from "../../host/index.ts";
import type { PipelinePorts } from "../pipeline/index.ts";

export interface FleetFlags {
  readonly redis?: string;
  readonly fleet: string;
  /** Modules with engines of the user's own. */
  readonly engine?: readonly string[];
}

// biome-ignore format: columns stay aligned
export const addFleetOptions = (command: Command): Command =>
  command
    .option("--redis <url>",           "have the workers of a fleet judge, through this Redis (default: BLACKOUT_REDIS, if it is set)")
    .option("--fleet <name>",          "which of the fleets that share a Redis", "default");

/** Undefined where no fleet was asked for. */
export function fleetAddress({ redis, fleet }: FleetFlags): FleetAddress | undefined {
  const url = redis ?? env["BLACKOUT_REDIS"];
  return url === undefined || url === "" ? undefined : { url, fleet };
}

/** The bundle's name has its digest. */
export const buildIdentity = (): string => `${basename(fileURLToPath(import.meta.url))} ${process.version}`;

/** Has the fleet that was asked for while something works, as what a pipeline takes of it. */
export async function withFleet<Result>(
  flags: FleetFlags,
  work: (fleet: Pick<PipelinePorts, "fleet">) => Promise<Result>,
): Promise<Result> {
  const address = fleetAddress(flags);
  if (address === undefined) return await work({});
  if ((flags.engine ?? []).length > 0)
    throw new InputError(
      "fleet/engine",
      "A fleet's workers know no engines of your own: leave out --engine or --redis.",
    );
  const fleet = await FleetLead.open(address, { host: realPorts(), build: buildIdentity() });
  try {
    return await work({ fleet });
  } finally {
    await fleet.close();
  }
}
