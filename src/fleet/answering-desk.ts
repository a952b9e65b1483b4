/** Where the leader answers what its workers ask of its host. Always: an answer is kept before its asker hears of it. */
import type { HostPorts } from "../base/index.ts";
import type { Redis } from "../host/index.ts";
import { answerFor } from "./host-answers.ts";
import { daySeconds, type SessionKeys } from "./names.ts";
import type { SentPieces } from "./sent-pieces.ts";

/** Redis answers so often, so that this hears when it is closed. */
const turnSeconds = 1;

export class AnsweringDesk {
  readonly #redis: Redis;
  readonly #blocking: Redis;
  readonly #keys: SessionKeys;
  readonly #host: HostPorts;
  readonly #pieces: SentPieces;
  #isOpen = true;

  constructor(redis: Redis, blocking: Redis, keys: SessionKeys, host: HostPorts, pieces: SentPieces) {
    this.#redis = redis;
    this.#blocking = blocking;
    this.#keys = keys;
    this.#host = host;
    this.#pieces = pieces;
    blocking.on("error", () => {});
  }

  open(): void {
    void this.#answerAll();
  }

  close(): void {
    this.#isOpen = false;
    this.#blocking.disconnect();
  }

  async #answerAll(): Promise<void> {
    while (this.#isOpen) {
      const popped = await this.#blocking.blpop(this.#keys.questions, turnSeconds).catch(() => null);
      if (popped !== null) await this.#answer(popped[1]).catch(() => {});
    }
  }

  async #answer(question: string): Promise<void> {
    const answer = answerFor(this.#host, question, this.#pieces.put);
    await this.#pieces.arrived();
    await this.#redis.hset(this.#keys.answers, question, answer);
    await this.#redis.expire(this.#keys.answers, daySeconds);
    await this.#redis.publish(this.#keys.answered, question);
  }
}
