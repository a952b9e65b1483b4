/** Memory that a program declared persistent, or not, through client requests: its word counts before what is mapped. */
import type { EventBody } from "./events.ts";

interface Declaration {
  readonly start: number;
  readonly end: number;
  readonly persistent: boolean;
}

export class DeclaredMemory {
  /** By range, the newest last. */
  readonly #declarations = new Map<string, Declaration>();

  /** Takes note of a request, if it declares anything. */
  note(event: EventBody): void {
    if (event.kind !== "request") return;
    const { request, start, length } = event;
    if (request !== "register-mapping" && request !== "remove-mapping") return;
    const key = `${start}:${length}`;
    this.#declarations.delete(key);
    this.#declarations.set(key, { start, end: start + length, persistent: request === "register-mapping" });
  }

  /** 1: declared persistent, 0: declared otherwise; undefined when the program has not spoken of all of the range. */
  persistence(start: number, length: number): 0 | 1 | undefined {
    let found: Declaration | undefined;
    for (const declaration of this.#declarations.values())
      if (declaration.start <= start && start + length <= declaration.end) found = declaration;
    return found === undefined ? undefined : found.persistent ? 1 : 0;
  }
}
