/** A JSON reader that remembers where everything stood, so that errors inside strings can be pointed at. */
import { inputError, type Source } from "./source.ts";

export type JsonNode = { readonly offset: number } & (
  | { readonly kind: "object"; readonly entries: ReadonlyMap<string, JsonNode> }
  | { readonly kind: "array"; readonly items: readonly JsonNode[] }
  | { readonly kind: "string"; readonly value: string }
  | { readonly kind: "number"; readonly value: number }
  | { readonly kind: "literal"; readonly value: boolean | null }
);

interface Reader {
  readonly source: Source;
  at: number;
  /** Objects and arrays that are open. */
  depth: number;
}

/** No test needs more; each level takes some of the stack. */
const mostDepth = 64;

const fail = (reader: Reader, expected: string) =>
  inputError(reader.source, reader.at, "litmus/json", `this is not JSON: expected ${expected} here.`);

function skipSpace(reader: Reader): void {
  while (/\s/.test(reader.source.text[reader.at] ?? "")) reader.at++;
}

function accept(reader: Reader, text: string): boolean {
  skipSpace(reader);
  if (!reader.source.text.startsWith(text, reader.at)) return false;
  reader.at += text.length;
  return true;
}

export function readJson(source: Source): JsonNode {
  const reader: Reader = { source, at: 0, depth: 0 };
  const node = readValue(reader);
  skipSpace(reader);
  if (reader.at < source.text.length) throw fail(reader, "the end of the file");
  return node;
}

function readValue(reader: Reader): JsonNode {
  skipSpace(reader);
  const offset = reader.at;
  if (accept(reader, "{")) return nested(reader, () => readObject(reader, offset));
  if (accept(reader, "[")) return nested(reader, () => readArray(reader, offset));
  if (reader.source.text[offset] === '"') return { kind: "string", offset, value: readString(reader) };
  for (const [word, value] of literals) if (accept(reader, word)) return { kind: "literal", offset, value };
  const digits = /^-?\d+(\.\d+)?([eE][+-]?\d+)?/.exec(reader.source.text.slice(offset, offset + 40))?.[0];
  if (digits === undefined) throw fail(reader, "a value");
  reader.at += digits.length;
  return { kind: "number", offset, value: Number(digits) };
}

function nested(reader: Reader, read: () => JsonNode): JsonNode {
  if (++reader.depth > mostDepth) throw fail(reader, `no more than ${mostDepth} levels`);
  const node = read();
  reader.depth--;
  return node;
}

const literals: readonly [string, boolean | null][] = [
  ["true", true],
  ["false", false],
  ["null", null],
];

function readString(reader: Reader): string {
  const match = /^"(?:[^"\\\n]|\\.)*"/.exec(reader.source.text.slice(reader.at));
  if (match === null) throw fail(reader, "a string in double quotes");
  try {
    const value = JSON.parse(match[0]) as string;
    reader.at += match[0].length;
    return value;
  } catch {
    throw fail(reader, "a string without control characters or unknown escapes");
  }
}

function readObject(reader: Reader, offset: number): JsonNode {
  const entries = new Map<string, JsonNode>();
  if (accept(reader, "}")) return { kind: "object", offset, entries };
  do {
    skipSpace(reader);
    const key = readString(reader);
    if (!accept(reader, ":")) throw fail(reader, "a colon");
    entries.set(key, readValue(reader));
  } while (accept(reader, ","));
  if (!accept(reader, "}")) throw fail(reader, "a comma or a closing brace");
  return { kind: "object", offset, entries };
}

function readArray(reader: Reader, offset: number): JsonNode {
  const items: JsonNode[] = [];
  if (accept(reader, "]")) return { kind: "array", offset, items };
  do items.push(readValue(reader));
  while (accept(reader, ","));
  if (!accept(reader, "]")) throw fail(reader, "a comma or a closing bracket");
  return { kind: "array", offset, items };
}
