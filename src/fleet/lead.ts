/**
 * A session's fleet as its leader sees it: units go out as jobs, results come back. Always:
 * - A unit has one result, whoever judges it how often: the first counts.
 * - What no worker could judge in three tries is judged here.
 * - Nothing of the session is left in Redis when it ends, and nothing for longer than a day if it cannot end.
 */
import type { HostPorts } from "../base/index.ts";
import { fleetModules, freshName, monotonicSeconds, type Queue, type QueueEvents, type Redis } from "../host/index.ts";
import type { Fleet, JudgePool } from "../session/work/index.ts";
import { AnsweringDesk } from "./answering-desk.ts";
import { connect, type FleetAddress } from "./connection.ts";
import { HandedOut } from "./handed-out.ts";
import { fleetKeys, heartbeatMilliseconds, queueName, type SessionKeys, silentSeconds } from "./names.ts";
import type { LeaderHost } from "./remote-ports.ts";
import { SentPieces } from "./sent-pieces.ts";
import { encodeSetup } from "./setups.ts";
import { NamedEntries } from "./versions.ts";
import { encodePlain } from "./wire.ts";
import { liveWorkers } from "./workers.ts";

/** Results whose message was lost, as when Redis was away, are looked for every so often. */
const lookMilliseconds = 2000;
const loneSeconds = 10;

export interface LeadPorts {
  readonly host: HostPorts;
  readonly build: string;
}

export class FleetLead implements Fleet {
  readonly #address: FleetAddress;
  readonly #ports: LeadPorts;
  readonly #redis: Redis;
  readonly #queue: Queue;
  readonly #events: QueueEvents;
  readonly #desk: AnsweringDesk;
  readonly #pieces: SentPieces;
  readonly #keys: SessionKeys;
  readonly #session = freshName();
  readonly #out: HandedOut;
  readonly #timers: NodeJS.Timeout[] = [];
  #slots = 0;
  #aloneSince = monotonicSeconds();
  #isAloneSaid = false;

  private constructor(address: FleetAddress, ports: LeadPorts, redis: Redis, blocking: Redis) {
    const keys = fleetKeys(address.fleet);
    this.#address = address;
    this.#ports = ports;
    this.#redis = redis;
    this.#keys = keys.session(this.#session);
    this.#pieces = new SentPieces(redis, this.#keys);
    this.#desk = new AnsweringDesk(redis, blocking, this.#keys, ports.host, this.#pieces);
    const { Queue, QueueEvents } = fleetModules();
    const { prefix } = keys;
    this.#queue = new Queue(queueName, { connection: redis, prefix });
    this.#events = new QueueEvents(queueName, { connection: redis.duplicate(), prefix });
    this.#out = new HandedOut(this.#queue, this.#session, monotonicSeconds);
    this.#queue.on("error", () => {});
    this.#events.on("error", () => {});
    this.#events.on("completed", ({ jobId, returnvalue }) => this.#out.completed(jobId, returnvalue));
    this.#events.on("failed", ({ jobId }) => this.#out.failed(jobId));
  }

  static async open(address: FleetAddress, ports: LeadPorts): Promise<FleetLead> {
    const redis = await connect(address);
    const lead = new FleetLead(address, ports, redis, redis.duplicate());
    await lead.#events.waitUntilReady();
    await lead.#beat();
    lead.#timers.push(setInterval(() => void lead.#beat().catch(() => {}), heartbeatMilliseconds));
    lead.#timers.push(setInterval(() => void lead.#look().catch(() => {}), lookMilliseconds));
    lead.#desk.open();
    return lead;
  }

  async start(...[setup, scene, here]: Parameters<Fleet["start"]>): Promise<JudgePool> {
    const { files, directory } = this.#ports.host;
    const leader: LeaderHost = { uid: files.uid, gid: files.gid, directory };
    const entries = new NamedEntries(scene.versions, this.#pieces.put);
    const text = encodeSetup(setup, scene.run.scratch, this.#pieces.put);
    const name = this.#pieces.put(Buffer.from(encodePlain({ leader, text }, this.#pieces.put)));
    const watch = setInterval(() => Atomics.load(setup.stop, 0) !== 0 && this.#stopAll(), 100);
    const lead = this;
    return {
      get width() {
        return Math.max(2, 2 * lead.#slots);
      },
      judge: async (unit, hint, versions) => {
        const message = encodePlain({ unit, hint, versions: entries.take(versions) }, this.#pieces.put);
        await this.#pieces.arrived();
        const job = { session: this.#session, build: this.#ports.build, setup: name, message };
        const timed = await this.#out.judge(unit, job);
        return timed === "nobody" ? await here(unit, hint, versions) : timed;
      },
      close: async () => clearInterval(watch),
    };
  }

  /** When the command has ended, however it did. */
  async close(): Promise<void> {
    for (const timer of this.#timers) clearInterval(timer);
    this.#desk.close();
    await this.#removeAll().catch(() => {});
    await Promise.allSettled([this.#events.close(), this.#queue.close()]);
    this.#redis.disconnect();
  }

  async #look(): Promise<void> {
    await this.#out.lookForResults();
    await this.#out.repeatSlow(this.#slots);
  }

  async #beat(): Promise<void> {
    const { fleet } = this.#address;
    await this.#redis.set(this.#keys.alive, "1", "EX", 4 * silentSeconds);
    const workers = await liveWorkers(this.#redis, fleet);
    const ours = workers.filter(({ build }) => build === this.#ports.build);
    this.#slots = ours.reduce((sum, { slots }) => sum + slots, 0);
    if (this.#slots > 0) this.#aloneSince = monotonicSeconds();
    if (this.#isAloneSaid || monotonicSeconds() - this.#aloneSince < loneSeconds || this.#out.count === 0) return;
    this.#isAloneSaid = true;
    this.#ports.host.notice(
      workers.length > 0
        ? `the fleet ${fleet} has workers of other versions of Blackout only: start some of this one`
        : `the fleet ${fleet} has no worker yet: blackout worker --redis starts one on any computer`,
    );
  }

  #stopAll(): void {
    if (this.#out.count === 0) return;
    this.#redis.publish(this.#keys.stop, "stop").catch(() => {});
    this.#out.stop();
  }

  async #removeAll(): Promise<void> {
    await this.#out.removeAll();
    for await (const keys of this.#redis.scanStream({ match: this.#keys.all, count: 1000 }))
      if ((keys as string[]).length > 0) await this.#redis.unlink(...(keys as string[]));
  }
}
