/**
 * The last part of a herd test: `exists`, `~exists` or `forall`, optionally `at end`, then a condition over registers
 * (`0:rax=1`), final memory (`[x]=1` or `x=1`) and memory found after a crash (`recovered x=1`).
 */
import type { Atom, Condition } from "../condition.ts";
import { inputError, type Source } from "../source.ts";
import { registerNamed } from "./operands.ts";

export type Quantifier = "exists" | "~exists" | "forall";

export interface Question {
  readonly quantifier: Quantifier;
  readonly atEnd: boolean;
  readonly condition: Condition;
  readonly text: string;
}

/** How names in conditions are looked up; both throw an input error at the offset when there is no such thing. */
export interface Scope {
  location(name: string, offset: number): number;
  register(thread: number, name: string, offset: number): number;
}

interface Reader {
  readonly source: Source;
  readonly scope: Scope;
  at: number;
  /** Parentheses and negations that are open. */
  depth: number;
}

/** No condition needs more; each level takes some of the stack. */
const mostDepth = 64;

export const startsQuestion = (text: string): boolean =>
  /^\s*(exists|~\s*exists|not\s+exists|forall|locations)\b/.test(text);

export function parseQuestion(source: Source, offset: number, scope: Scope): Question {
  const reader: Reader = { source, scope, at: offset, depth: 0 };
  match(reader, /\s*locations\s*\[[^\]]*\]/y);
  const word = match(reader, /\s*(exists|~\s*exists|not\s+exists|forall)\b/y);
  if (word === undefined) throw expected(reader, "exists, ~exists or forall");
  const quantifier = word[1] === "exists" || word[1] === "forall" ? word[1] : "~exists";
  const atEnd = match(reader, /\s*at\s+end\b/y) !== undefined;
  const condition = parseOr(reader);
  match(reader, /\s*;?\s*/y);
  if (reader.at < source.text.length) throw expected(reader, "/\\, \\/ or the end of the condition");
  const text = source.text.slice(offset).trim().replace(/\s+/g, " ");
  return { quantifier, atEnd, condition, text };
}

function match(reader: Reader, pattern: RegExp): RegExpExecArray | undefined {
  pattern.lastIndex = reader.at;
  const found = pattern.exec(reader.source.text);
  if (found === null) return undefined;
  reader.at += found[0].length;
  return found;
}

function expected(reader: Reader, what: string) {
  match(reader, /\s*/y);
  return inputError(reader.source, reader.at, "litmus/condition", `expected ${what} here.`);
}

function parseOr(reader: Reader): Condition {
  const parts = [parseAnd(reader)];
  while (match(reader, /\s*\\\//y)) parts.push(parseAnd(reader));
  return parts.length === 1 ? (parts[0] as Condition) : { kind: "or", parts };
}

function parseAnd(reader: Reader): Condition {
  const parts = [parseFactor(reader)];
  while (match(reader, /\s*\/\\/y)) parts.push(parseFactor(reader));
  return parts.length === 1 ? (parts[0] as Condition) : { kind: "and", parts };
}

function parseFactor(reader: Reader): Condition {
  if (++reader.depth > mostDepth) throw expected(reader, `no more than ${mostDepth} levels`);
  const factor = parseNested(reader);
  reader.depth--;
  return factor;
}

function parseNested(reader: Reader): Condition {
  if (match(reader, /\s*(~|not\b)/y)) return { kind: "not", part: parseFactor(reader) };
  if (match(reader, /\s*\(/y)) {
    const inner = parseOr(reader);
    if (!match(reader, /\s*\)/y)) throw expected(reader, "a closing parenthesis, /\\ or \\/");
    return inner;
  }
  if (match(reader, /\s*true\b/y)) return { kind: "and", parts: [] };
  if (match(reader, /\s*false\b/y)) return { kind: "or", parts: [] };
  return { kind: "atom", atom: parseAtom(reader) };
}

function parseAtom(reader: Reader): Atom {
  const { scope } = reader;
  match(reader, /\s*/y);
  const offset = reader.at;
  const registerAtom = match(reader, /(\d+)\s*:\s*%?(\w+)\s*=\s*(-?\w+)/y);
  if (registerAtom !== undefined) {
    const [, thread, name = "", value = ""] = registerAtom;
    const register = scope.register(Number(thread), registerNamed(name)?.name ?? name, offset);
    return { about: "register", thread: Number(thread), register, value: parseValue(reader, value, offset) };
  }
  const memoryAtom = match(reader, /(recovered\s+)?(?:\[\s*(\w+)\s*\]|([A-Za-z_]\w*))\s*=\s*(-?\w+)/y);
  if (memoryAtom === undefined) throw expected(reader, "a condition such as 0:rax=1, [x]=1 or recovered x=1");
  const [, recovered, bracketed, bare, value = ""] = memoryAtom;
  const location = scope.location(bracketed ?? bare ?? "", offset);
  return {
    about: recovered === undefined ? "memory" : "recovered",
    location,
    value: parseValue(reader, value, offset),
  };
}

function parseValue(reader: Reader, text: string, offset: number): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value))
    throw inputError(reader.source, offset, "litmus/condition", `${text} is not a whole number.`);
  return value;
}
