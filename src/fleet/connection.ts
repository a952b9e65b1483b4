/** Connections to a fleet's Redis. Always: a Redis that goes away and comes back is waited for, but for the first connection. */
import { InputError } from "../base/index.ts";
import { fleetModules, type Redis } from "../host/index.ts";

export interface FleetAddress {
  /** redis:// or rediss://, with user, password and database as Redis clients have them. */
  readonly url: string;
  /** Several fleets may share one Redis. */
  readonly fleet: string;
}

const firstMilliseconds = 5000;

/** An address without its password. */
function shown(url: string): string {
  const parsed = new URL(url);
  return `${parsed.protocol}//${parsed.host}`;
}

/** Refuses what is no address before anybody connects. */
export function demandAddress({ url, fleet }: FleetAddress): void {
  const isUrl = URL.canParse(url) && ["redis:", "rediss:"].includes(new URL(url).protocol);
  if (!isUrl) throw new InputError("fleet/address", "A fleet's Redis is named like redis://HOST:PORT.", { url });
  if (!/^[\w.-]{1,64}$/.test(fleet))
    throw new InputError("fleet/name", "A fleet's name has letters, digits, dots and dashes.", { fleet });
}

/** A client that reconnects. What it asked meanwhile is asked again. */
export async function connect(address: FleetAddress): Promise<Redis> {
  demandAddress(address);
  const { Redis } = fleetModules();
  const client = new Redis(address.url, { maxRetriesPerRequest: null, lazyConnect: true, enableReadyCheck: true });
  let complaint = "there is no answer";
  client.on("error", (error: Error & { readonly code?: string }) => {
    complaint = error.code ?? error.message;
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(complaint)), firstMilliseconds);
  });
  try {
    const ready = new Promise<void>((resolve) => client.once("ready", resolve));
    // A first refusal is tried again until it is late.
    client.connect().catch(() => {});
    await Promise.race([ready, late]);
  } catch {
    client.disconnect();
    throw new InputError("fleet/redis", `Redis at ${shown(address.url)} cannot be reached (${complaint}).`, {
      url: shown(address.url),
    });
  } finally {
    clearTimeout(timer);
  }
  return client;
}
