/** Pieces on their way to a fleet: each goes once, named by its contents. Always: whoever names a piece waits until it is there. */

import { type Redis, sha256 } from "../host/index.ts";
import { daySeconds, type SessionKeys } from "./names.ts";

export class SentPieces {
  readonly #redis: Redis;
  readonly #keys: SessionKeys;
  readonly #sent = new Set<string>();
  #underWay: Promise<unknown>[] = [];
  /** Of all pieces. */
  bytes = 0;

  constructor(redis: Redis, keys: SessionKeys) {
    this.#redis = redis;
    this.#keys = keys;
  }

  put = (bytes: Uint8Array): string => {
    const name = sha256([bytes]);
    if (this.#sent.has(name)) return name;
    this.#sent.add(name);
    this.bytes += bytes.length;
    const copy = Buffer.from(bytes);
    this.#underWay.push(this.#redis.set(this.#keys.piece(name), copy, "EX", daySeconds));
    return name;
  };

  /** All that was put so far is there. */
  async arrived(): Promise<void> {
    const underWay = this.#underWay;
    this.#underWay = [];
    await Promise.all(underWay);
  }
}
