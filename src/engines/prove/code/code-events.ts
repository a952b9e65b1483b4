/**
 * What the code of one thread does to memory that others may use, in the order in which it does it. An instruction's accesses are
 * put together when it is over: a load, a fence of a locked operation and a store are one event. Always: whoever takes the accesses is
 * told of them with what must hold for them to happen.
 */
import type { FenceOp, FlushOp } from "../../../isa/ir/index.ts";
import type { Term, Terms } from "../../../smt/index.ts";
import { Unencodable } from "./unencodable.ts";

/** Of 1, 2, 4 or 8 bytes. */
export interface SharedAccess {
  readonly address: Term;
  readonly size: number;
}

export type SharedEvent =
  | (SharedAccess & { readonly kind: "load"; readonly found: Term })
  | (SharedAccess & {
      readonly kind: "store";
      readonly stored: Term;
      readonly nonTemporal: boolean;
      readonly when: Term;
    })
  /** A store only if `fails` does not hold. */
  | (SharedAccess & { readonly kind: "update"; readonly found: Term; readonly stored: Term; readonly fails: Term })
  | { readonly kind: "flush"; readonly op: FlushOp; readonly address: Term }
  | { readonly kind: "fence"; readonly op: "mfence" | "sfence" };

/** Takes what happens, at the instruction of this address, where control comes by when `reached` holds. */
export type TakeEvent = (event: SharedEvent, reached: Term, at: number) => void;

export class InstructionEvents {
  readonly #terms: Terms;
  readonly #take: TakeEvent;
  #events: SharedEvent[] = [];
  #isLocked = false;

  constructor(terms: Terms, take: TakeEvent) {
    this.#terms = terms;
    this.#take = take;
  }

  add(event: SharedEvent): void {
    this.#events.push(event);
  }

  fence(op: FenceOp): void {
    if (op === "locked") this.#isLocked = true;
    else if (op !== "lfence") this.add({ kind: "fence", op });
  }

  /** The instruction is over. */
  finish(reached: Term, at: number): void {
    for (const event of this.#isLocked ? this.#locked(at) : this.#events) this.#take(event, reached, at);
    this.#events = [];
    this.#isLocked = false;
  }

  /** A locked operation on the thread's own memory is no more than a fence. */
  #locked(at: number): readonly SharedEvent[] {
    const [load, store] = this.#events;
    if (load === undefined) return [{ kind: "fence", op: "mfence" }];
    if (load.kind !== "load" || store?.kind !== "store" || this.#events.length > 2)
      throw new Unencodable("a locked operation that is no load and store of up to eight bytes", at);
    const { address, size, found } = load;
    if (store.address !== address || store.size !== size)
      throw new Unencodable("a locked operation that loads and stores different bytes", at);
    return [{ kind: "update", address, size, found, stored: store.stored, fails: this.#terms.not(store.when) }];
  }
}
