/** What a worker fetches for its judges: pieces, checked when they arrive, and answers of leaders. */
import { assert, InputError } from "../base/index.ts";
import type { Redis } from "../host/index.ts";
import { sha256 } from "../host/index.ts";
import { fleetKeys } from "./names.ts";

/** What a judge asks for: of one session, a piece by name or the answer to a question. */
export type Wanted = { readonly session: string } & ({ readonly piece: string } | { readonly question: string });

/** So much of what was fetched is kept, the latest. */
const keptBytes = 256 << 20;
/** A leader that answers nothing for so long is busy or gone; its unit is tried again later. */
const answerMilliseconds = 60_000;

class RecentPieces {
  readonly #pieces = new Map<string, Uint8Array>();
  #bytes = 0;

  get(name: string): Uint8Array | undefined {
    const found = this.#pieces.get(name);
    if (found !== undefined) {
      this.#pieces.delete(name);
      this.#pieces.set(name, found);
    }
    return found;
  }

  set(name: string, bytes: Uint8Array): void {
    this.#pieces.set(name, bytes);
    this.#bytes += bytes.length;
    for (const [oldest, { length }] of this.#pieces) {
      if (this.#bytes <= keptBytes) break;
      this.#pieces.delete(oldest);
      this.#bytes -= length;
    }
  }
}

export class Fetched {
  readonly #redis: Redis;
  readonly #keys: ReturnType<typeof fleetKeys>;
  readonly #pieces = new RecentPieces();
  /** Who waits for an answer, by channel and question. */
  readonly #waiting = new Map<string, Set<() => void>>();

  constructor(redis: Redis, fleet: string) {
    this.#redis = redis;
    this.#keys = fleetKeys(fleet);
  }

  /** A leader has answered. */
  answered(channel: string, question: string): void {
    for (const wake of this.#waiting.get(`${channel} ${question}`) ?? []) wake();
  }

  async fetch(wanted: Wanted): Promise<Uint8Array | string> {
    return "piece" in wanted
      ? await this.#piece(wanted.session, wanted.piece)
      : await this.#answer(wanted.session, wanted.question);
  }

  async #piece(session: string, name: string): Promise<Uint8Array> {
    const known = this.#pieces.get(name);
    if (known !== undefined) return known;
    const bytes = await this.#redis.getBuffer(this.#keys.session(session).piece(name));
    if (bytes === null || sha256([bytes]) !== name)
      throw new InputError("fleet/piece", "A piece of a session is missing or is another one.", { name });
    // Judges in other threads read it without a copy.
    const shared = new Uint8Array(new SharedArrayBuffer(bytes.length));
    shared.set(bytes);
    this.#pieces.set(name, shared);
    return shared;
  }

  async #answer(session: string, question: string): Promise<string> {
    const { answers, answered, questions } = this.#keys.session(session);
    const known = await this.#redis.hget(answers, question);
    if (known !== null) return known;
    const key = `${answered} ${question}`;
    const waiting = this.#waiting.get(key) ?? new Set();
    this.#waiting.set(key, waiting);
    const isAnswered = new Promise<void>((resolve, reject) => {
      waiting.add(resolve);
      setTimeout(
        () => reject(new InputError("fleet/silence", "The leader does not answer.")),
        answerMilliseconds,
      ).unref();
    });
    await this.#redis.rpush(questions, question);
    await isAnswered.finally(() => this.#waiting.delete(key));
    const answer = await this.#redis.hget(answers, question);
    assert(answer !== null, "an answer is kept before its asker hears of it");
    return answer;
  }
}
