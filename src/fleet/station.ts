/**
 * A worker of a fleet: takes units from its queue and has its threads judge them. Always:
 * - It does units of its own build only; it says so of itself, and leaders hear of it.
 * - A unit whose leader is gone is let go. One that its thread dies of is another's to try.
 */
import {
  type AskingThread,
  computerName,
  fleetModules,
  freshName,
  type Job,
  type QueueWorker,
  type Redis,
  startAskingThread,
} from "../host/index.ts";
import { connect, type FleetAddress } from "./connection.ts";
import { Fetched, type Wanted } from "./fetched.ts";
import { fleetKeys, heartbeatMilliseconds, queueName, type UnitJob, type WorkerState } from "./names.ts";
import { redisMilliseconds } from "./workers.ts";

export interface StationOptions extends FleetAddress {
  readonly slots: number;
  readonly build: string;
  /** What a thread runs. */
  readonly program: string;
}

/** A worker that died is noticed after so long, and its units go to others. */
const lockMilliseconds = 15_000;
const stalledMilliseconds = 5_000;
const mostStalls = 2;

interface Slot {
  thread: AskingThread | undefined;
  session: string | undefined;
}

export class Station {
  readonly #options: StationOptions;
  readonly #redis: Redis;
  readonly #keys: ReturnType<typeof fleetKeys>;
  readonly #fetched: Fetched;
  readonly #slots: readonly Slot[];
  readonly #id = freshName();
  readonly #listening: Redis;
  #worker: QueueWorker | undefined;
  #timer: NodeJS.Timeout | undefined;
  #units = 0;
  #failed = 0;

  private constructor(options: StationOptions, redis: Redis) {
    this.#options = options;
    this.#redis = redis;
    this.#listening = redis.duplicate();
    this.#listening.on("error", () => {});
    this.#keys = fleetKeys(options.fleet);
    this.#fetched = new Fetched(redis, options.fleet);
    this.#slots = Array.from({ length: options.slots }, () => ({ thread: undefined, session: undefined }));
  }

  static async open(options: StationOptions): Promise<Station> {
    const station = new Station(options, await connect(options));
    await station.#listen();
    await station.#beat();
    station.#timer = setInterval(() => void station.#beat().catch(() => {}), heartbeatMilliseconds);
    const { Worker } = fleetModules();
    const connection = station.#redis.duplicate();
    station.#worker = new Worker(queueName, (job) => station.#judge(job as Job<UnitJob, string>), {
      connection,
      prefix: station.#keys.prefix,
      concurrency: options.slots,
      lockDuration: lockMilliseconds,
      stalledInterval: stalledMilliseconds,
      maxStalledCount: mostStalls,
    });
    station.#worker.on("error", () => {});
    await station.#worker.waitUntilReady();
    return station;
  }

  /** Ends after the units under way, which end soon. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    for (const { thread } of this.#slots) thread?.stop();
    await this.#worker?.close();
    await Promise.all(this.#slots.map(({ thread }) => thread?.close()));
    await this.#redis.hdel(this.#keys.workers, this.#id).catch(() => {});
    this.#listening.disconnect();
    this.#redis.disconnect();
  }

  async #listen(): Promise<void> {
    await this.#listening.psubscribe(this.#keys.answeredAll, this.#keys.stops);
    this.#listening.on("pmessage", (_pattern, channel, message) => {
      this.#fetched.answered(channel, message);
      for (const { thread, session } of this.#slots)
        if (session !== undefined && channel === this.#keys.session(session).stop) thread?.stop();
    });
  }

  async #judge({ data }: Job<UnitJob, string>): Promise<string> {
    if (data.build !== this.#options.build) throw new Error("it is of another version of Blackout");
    const isLed = await this.#redis.exists(this.#keys.session(data.session).alive);
    if (isLed === 0) return "stopped";
    const slot = this.#slots.find(({ session }) => session === undefined);
    if (slot === undefined) throw new Error("no thread is free");
    slot.session = data.session;
    try {
      if (slot.thread?.isAlive !== true)
        slot.thread = startAskingThread(this.#options.program, (wanted) => this.#fetched.fetch(wanted as Wanted));
      const text = await slot.thread.run(data);
      this.#units++;
      return text;
    } catch (error) {
      this.#failed++;
      throw error;
    } finally {
      slot.session = undefined;
    }
  }

  async #beat(): Promise<void> {
    const { slots, build } = this.#options;
    const busy = this.#slots.filter(({ session }) => session !== undefined).length;
    const seen = await redisMilliseconds(this.#redis);
    const state: WorkerState = {
      host: computerName(),
      build,
      slots,
      busy,
      units: this.#units,
      failed: this.#failed,
      seen,
    };
    await this.#redis.hset(this.#keys.workers, this.#id, JSON.stringify(state));
  }
}
