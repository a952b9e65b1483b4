/**
 * Rust's v0 mangling (RFC 2603): `_RNvC7mycrate3foo` is `mycrate::foo`. Crate hashes, the types of constants and
 * suffixes of clones are left out, as in c++filt -i. References back into the name may be nested, so depth and output
 * are limited.
 */
import { decodePunycode } from "./punycode.ts";

class NotRust extends Error {}

const MAX_DEPTH = 200;
const MAX_LENGTH = 0x1_0000;

/** Undefined when the name is not one of these. */
export function demangleRustV0(mangled: string): string | undefined {
  const whole = /^_{0,1}_R(?=[A-Z])(\w+)(?:\.[\w.$@]+)?$/.exec(mangled);
  if (whole === null) return undefined;
  try {
    const reader = new Reader(whole[1] as string);
    const path = reader.path("value");
    if (!reader.atEnd) reader.path("value"); // the crate that instantiated it
    return reader.atEnd ? path : undefined;
  } catch (error) {
    if (error instanceof NotRust) return undefined;
    throw error;
  }
}

// biome-ignore format: columns stay aligned
const basicTypes: Readonly<Record<string, string>> = {
  a: "i8",  b: "bool", c: "char", d: "f64",  e: "str",  f: "f32",   h: "u8",  i: "isize", j: "usize",
  l: "i32", m: "u32",  n: "i128", o: "u128", p: "_",    s: "i16",   t: "u16", u: "()",    v: "...",
  x: "i64", y: "u64",  z: "!",
};
const signedTypes = "aslxni";
const unsignedTypes = "htmyoj";

/** In a value's path generic arguments need `::` before them. */
type Context = "value" | "type";

class Reader {
  readonly #text: string;
  #at = 0;
  #depth = 0;
  #written = 0;
  /** How many lifetimes the binders around the current place have introduced. */
  #boundLifetimes = 0;

  constructor(text: string) {
    this.#text = text;
  }

  get atEnd(): boolean {
    return this.#at >= this.#text.length;
  }

  path(context: Context): string {
    return this.#limited(() => {
      const readers: Readonly<Record<string, () => string>> = {
        C: () => this.#identifier().name,
        M: () => {
          this.#implPath();
          return `<${this.#type()}>`;
        },
        X: () => {
          this.#implPath();
          return this.#asTrait();
        },
        Y: () => this.#asTrait(),
        N: () => this.#nested(context),
        I: () => {
          const base = this.path(context);
          return `${base}${context === "value" ? "::" : ""}<${this.#until("E", () => this.#genericArg()).join(", ")}>`;
        },
        B: () => this.#backReference(() => this.path(context)),
      };
      const read = readers[this.#next()];
      if (read === undefined) throw new NotRust();
      return read();
    });
  }

  #implPath(): void {
    this.#disambiguator();
    this.path("type");
  }

  #asTrait(): string {
    const type = this.#type();
    return `<${type} as ${this.path("type")}>`;
  }

  #nested(context: Context): string {
    const namespace = this.#next();
    if (!/[A-Za-z]/.test(namespace)) throw new NotRust();
    const outer = this.path(context);
    const { name, disambiguator } = this.#identifier();
    if (/[a-z]/.test(namespace)) return name === "" ? outer : `${outer}::${name}`;
    const what = { C: "closure", S: "shim" }[namespace] ?? namespace;
    return `${outer}::{${what}${name === "" ? "" : `:${name}`}#${disambiguator}}`;
  }

  #genericArg(): string {
    if (this.#take("L")) return this.#lifetime(this.#base62());
    return this.#take("K") ? this.#constant() : this.#type();
  }

  #type(): string {
    return this.#limited(() => {
      const tag = this.#next();
      const basic = basicTypes[tag];
      if (basic !== undefined) return basic;
      const readers: Readonly<Record<string, () => string>> = {
        A: () => {
          const element = this.#type();
          return `[${element}; ${this.#constant()}]`;
        },
        S: () => `[${this.#type()}]`,
        T: () => {
          const items = this.#until("E", () => this.#type());
          return `(${items.join(", ")}${items.length === 1 ? "," : ""})`;
        },
        R: () => `&${this.#optionalLifetime()}${this.#type()}`,
        Q: () => `&${this.#optionalLifetime()}mut ${this.#type()}`,
        P: () => `*const ${this.#type()}`,
        O: () => `*mut ${this.#type()}`,
        F: () => this.#withBinder(() => this.#functionType()),
        D: () => this.#dynamicType(),
        B: () => this.#backReference(() => this.#type()),
      };
      const read = readers[tag];
      if (read !== undefined) return read();
      this.#at--;
      return this.path("type");
    });
  }

  #functionType(): string {
    const unsafe = this.#take("U") ? "unsafe " : "";
    const abi = this.#take("K") ? `extern "${this.#abi()}" ` : "";
    const params = this.#until("E", () => this.#type());
    const result = this.#type();
    return `${unsafe}${abi}fn(${params.join(", ")})${result === "()" ? "" : ` -> ${result}`}`;
  }

  #abi(): string {
    return this.#take("C") ? "C" : this.#identifier().name.replaceAll("_", "-");
  }

  #dynamicType(): string {
    const bounds = this.#withBinder(() => this.#until("E", () => this.#dynamicTrait()).join(" + "));
    if (!this.#take("L")) throw new NotRust();
    const lifetime = this.#base62();
    return `dyn ${bounds}${lifetime === 0 ? "" : ` + ${this.#lifetime(lifetime)}`}`;
  }

  /** Associated types join the trait's own generic arguments. */
  #dynamicTrait(): string {
    const trait = this.path("type");
    const bindings: string[] = [];
    while (this.#take("p")) {
      const { name } = this.#identifier();
      bindings.push(`${name} = ${this.#type()}`);
    }
    if (bindings.length === 0) return trait;
    return trait.endsWith(">") ? `${trait.slice(0, -1)}, ${bindings.join(", ")}>` : `${trait}<${bindings.join(", ")}>`;
  }

  #constant(): string {
    return this.#limited(() => {
      if (this.#take("B")) return this.#backReference(() => this.#constant());
      const tag = this.#next();
      if (tag === "p") return "_";
      if (unsignedTypes.includes(tag)) return this.#integer();
      if (signedTypes.includes(tag)) return (this.#take("n") ? "-" : "") + this.#integer();
      const value = BigInt(this.#integer());
      if (tag === "b" && value <= 1n) return value === 1n ? "true" : "false";
      if (tag === "c" && value <= 0x10ffffn) return quotedChar(Number(value));
      throw new NotRust();
    });
  }

  #integer(): string {
    const digits = this.#match(/[0-9a-f]*_/y).slice(0, -1);
    // Beyond 64 bits the digits stay hexadecimal.
    return digits.replace(/^0+/, "").length > 16 ? `0x${digits}` : String(BigInt(`0x${digits === "" ? "0" : digits}`));
  }

  #optionalLifetime(): string {
    if (!this.#take("L")) return "";
    const lifetime = this.#base62();
    return lifetime === 0 ? "" : `${this.#lifetime(lifetime)} `;
  }

  /** Counted from the innermost binder outwards; 0 is an erased one. */
  #lifetime(index: number): string {
    if (index === 0) return "'_";
    const depth = this.#boundLifetimes - index;
    if (depth < 0) throw new NotRust();
    return depth < 26 ? `'${String.fromCharCode(97 + depth)}` : `'_${depth}`;
  }

  #withBinder(read: () => string): string {
    if (!this.#take("G")) return read();
    const count = this.#base62() + 1;
    if (count > 1000) throw new NotRust();
    const outer = this.#boundLifetimes;
    this.#boundLifetimes += count;
    const names = Array.from({ length: count }, (_, at) => this.#lifetime(count - at));
    const text = `for<${names.join(", ")}> ${read()}`;
    this.#boundLifetimes = outer;
    return text;
  }

  #backReference(read: () => string): string {
    const start = this.#at - 1;
    const target = this.#base62();
    if (target >= start) throw new NotRust();
    const resume = this.#at;
    this.#at = target;
    const text = read();
    this.#at = resume;
    return text;
  }

  #disambiguator(): number {
    return this.#take("s") ? this.#base62() + 1 : 0;
  }

  #identifier(): { readonly name: string; readonly disambiguator: number } {
    const disambiguator = this.#disambiguator();
    const isPunycode = this.#take("u");
    const length = Number(this.#match(/0|[1-9]\d*/y));
    this.#take("_");
    const raw = this.#text.slice(this.#at, this.#at + length);
    if (raw.length < length) throw new NotRust();
    this.#at += length;
    const name = isPunycode ? decodePunycode(raw) : raw;
    if (name === undefined) throw new NotRust();
    return { name, disambiguator };
  }

  /** `_` is 0, `0_` is 1, and so on. */
  #base62(): number {
    const digits = this.#match(/[0-9a-zA-Z]*_/y).slice(0, -1);
    if (digits === "") return 0;
    const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    return [...digits].reduce((value, digit) => value * 62 + alphabet.indexOf(digit), 0) + 1;
  }

  #next(): string {
    if (this.atEnd) throw new NotRust();
    return this.#text[this.#at++] as string;
  }

  #take(expected: string): boolean {
    if (this.#text[this.#at] !== expected) return false;
    this.#at++;
    return true;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found === undefined) throw new NotRust();
    this.#at += found.length;
    return found;
  }

  #until(end: string, read: () => string): string[] {
    const items: string[] = [];
    while (!this.#take(end)) items.push(read());
    return items;
  }

  #limited(read: () => string): string {
    if (++this.#depth > MAX_DEPTH) throw new NotRust();
    const text = read();
    this.#depth--;
    this.#written += text.length;
    if (text.length > MAX_LENGTH || this.#written > 100 * MAX_LENGTH) throw new NotRust();
    return text;
  }
}

const charEscapes: Readonly<Record<number, string>> = { 9: "\\t", 10: "\\n", 13: "\\r", 39: "\\'", 92: "\\\\" };

function quotedChar(point: number): string {
  const printable = point >= 32 && point < 127;
  return `'${charEscapes[point] ?? (printable ? String.fromCodePoint(point) : `\\u{${point.toString(16)}}`)}'`;
}
