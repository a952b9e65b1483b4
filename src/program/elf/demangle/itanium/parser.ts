/**
 * The state of reading one mangled name: the position, and the substitutions seen. The grammar itself is in names.ts, types.ts and expressions.ts.
 */
import type { Node } from "./nodes.ts";

/** The text is not a mangled name after all. */
export class NotMangled extends Error {}

const MAX_DEPTH = 500;

export class Parser {
  readonly text: string;
  position = 0;
  readonly substitutions: Node[] = [];
  /** Nodes of standard abbreviations (`Ss`), which are never substitutions themselves. */
  readonly abbreviations = new Set<Node>();
  /** True while reading the type a conversion operator converts to. */
  inConversion = false;
  #depth = 0;

  constructor(text: string, position: number) {
    this.text = text;
    this.position = position;
  }

  get atEnd(): boolean {
    return this.position >= this.text.length;
  }

  peek(length = 1): string {
    return this.text.slice(this.position, this.position + length);
  }

  /** Consumes `expected` if it is next. */
  take(expected: string): boolean {
    if (!this.text.startsWith(expected, this.position)) return false;
    this.position += expected.length;
    return true;
  }

  need(expected: string): void {
    if (!this.take(expected)) throw new NotMangled();
  }

  next(): string {
    if (this.atEnd) throw new NotMangled();
    return this.text[this.position++] as string;
  }

  /** What a sticky expression matches here, consumed; undefined when it does not match. */
  match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.position;
    const found = pattern.exec(this.text)?.[0];
    if (found !== undefined) this.position += found.length;
    return found;
  }

  number(): number {
    const digits = this.match(/\d+/y);
    if (digits === undefined) throw new NotMangled();
    return Number(digits);
  }

  /** <seq-id> of substitutions and template parameters: `_` is 0, `0_` is 1. */
  sequenceId(radix: 10 | 36): number {
    const digits = this.match(radix === 36 ? /[0-9A-Z]*/y : /\d*/y) ?? "";
    this.need("_");
    return digits === "" ? 0 : Number.parseInt(digits, radix) + 1;
  }

  remember(node: Node): Node {
    this.substitutions.push(node);
    return node;
  }

  /** Remembers a node unless it was itself read as a substitution. */
  rememberOnce(node: Node): Node {
    if (this.substitutions.includes(node) || this.abbreviations.has(node)) return node;
    return this.remember(node);
  }

  /** Items up to and including the closing `E`. */
  until<T>(end: string, read: () => T): T[] {
    const items: T[] = [];
    while (!this.take(end)) items.push(read());
    return items;
  }

  nested<T>(read: () => T): T {
    if (++this.#depth > MAX_DEPTH) throw new NotMangled();
    const result = read();
    this.#depth--;
    return result;
  }
}
