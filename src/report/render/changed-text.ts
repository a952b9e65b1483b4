/**
 * What a line of C or C++ changes, in the words that stand there: `D_RW(book)->count`. Always:
 * - It is said only where the line leaves no choice: one write in the statement, or one at the column.
 * - Nothing but that line is read. The grammar's own answer is the twin that a test compares with.
 */

import { outsideTheSystem, ownPosition, type PlacedMark } from "../../crash/finding/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import type { ReadSource } from "./inlined-ends.ts";

interface Token {
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** Which argument of a function points to what it writes. */
const written: ReadonlyMap<string, number> = new Map([
  ...["memcpy", "memmove", "memset", "strcpy", "strncpy", "strcat", "stpcpy", "sprintf", "snprintf"].map(
    (name) => [name, 0] as const,
  ),
  ...["memcpy", "memmove", "memset"].flatMap((name) => [
    ...["", "_nodrain", "_persist"].map((end) => [`pmem_${name}${end}`, 0] as const),
    ...["", "_persist"].map((end) => [`pmemobj_${name}${end}`, 1] as const),
  ]),
]);

/** What stands before a parenthesis and is no function. */
const keywords: ReadonlySet<string> = new Set(["if", "while", "for", "switch", "return", "else", "do", "case"]);
const assignments: ReadonlySet<string> = new Set("= += -= *= /= %= &= |= ^= <<= >>=".split(" "));
const steps: ReadonlySet<string> = new Set(["++", "--"]);
const links: ReadonlySet<string> = new Set(["->", ".", "::"]);
const closing: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

const tokenPattern = /\w+|->|::|\+\+|--|<<=|>>=|[-+*/%&|^]=|[=!<>]=|&&|\|\||<<|>>|\S/g;
const wordless = /\/\*.*?(?:\*\/|$)|\/\/.*$/g;
const quotes = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Columns stay where they are; what is quoted is one word. */
const tokensOf = (line: string): readonly Token[] =>
  [
    ...line
      .replace(quotes, (text) => "_".repeat(text.length))
      .replace(wordless, (text) => " ".repeat(text.length))
      .matchAll(tokenPattern),
  ].map(({ 0: text, index }) => ({ text, start: index, end: index + text.length }));

/** The statements of a line: what is between semicolons and braces, in a macro's parentheses too, and not in a `for`'s. */
function statementsOf(tokens: readonly Token[]): readonly (readonly Token[])[] {
  const statements: Token[][] = [[]];
  /** Of each parenthesis that is open: whether it is a `for`'s. */
  const open: boolean[] = [];
  for (const [at, token] of tokens.entries()) {
    if (token.text === "(") open.push(tokens[at - 1]?.text === "for");
    if (token.text === ")") open.pop();
    if (";{}".includes(token.text) && !open.includes(true)) statements.push([]);
    else statements.at(-1)!.push(token);
  }
  return statements;
}

/** `else`, and `if (…)` with what stands in it. */
function withoutHead(tokens: readonly Token[]): readonly Token[] {
  let from = 0;
  while (keywords.has(tokens[from]?.text ?? "")) {
    from++;
    if (tokens[from]?.text !== "(") continue;
    for (let depth = 0; from < tokens.length; ) {
      const { text } = tokens[from++]!;
      depth += text === "(" ? 1 : text === ")" ? -1 : 0;
      if (depth === 0) break;
    }
  }
  return tokens.slice(from);
}

const isWord = (token: Token | undefined): boolean => token !== undefined && /^\w/.test(token.text);

/** The position of the bracket that the one at `at` closes. */
function openingOf(tokens: readonly Token[], at: number): number {
  const [close, open] = [tokens[at]!.text, closing[tokens[at]!.text]];
  let depth = 0;
  for (let before = at; before >= 0; before--) {
    if (tokens[before]!.text === close) depth++;
    if (tokens[before]!.text === open && --depth === 0) return before;
  }
  return -1;
}

/** Where the place begins that ends at `last`: names, members, elements, calls, and what is in front of them. */
function placeStart(tokens: readonly Token[], last: number): number | undefined {
  let at = last;
  for (;;) {
    while (tokens[at] !== undefined && closing[tokens[at]!.text] !== undefined) {
      const open = openingOf(tokens, at);
      const before = tokens[open - 1];
      if (open < 0) return undefined;
      // A place in parentheses.
      if (!isWord(before) && closing[before?.text ?? ""] === undefined) return withStars(tokens, open);
      at = open - 1;
    }
    if (!isWord(tokens[at])) return undefined;
    if (!links.has(tokens[at - 1]?.text ?? "")) return withStars(tokens, at);
    at -= 2;
  }
}

/** `*slot = 1`, `*(int *)slot = 1`; a word before it makes it a declaration. */
function withStars(tokens: readonly Token[], start: number): number | undefined {
  let at = start;
  while (tokens[at - 1]?.text === "*") at--;
  if (tokens[at - 1]?.text === "&" && tokens[at - 2]?.text === ")") at--;
  const before = tokens[at - 1];
  const isCast = before?.text === ")" && tokens[at - 2]?.text === "*";
  if (isCast) return withStars(tokens, openingOf(tokens, at - 1));
  return isWord(before) || before?.text === ">" || before?.text === "&" ? undefined : at;
}

interface Change {
  /** By a call of this name; else by an operator. */
  readonly called?: string;
  readonly at: number;
  readonly from: number;
  readonly to: number;
}

/** What assignments, increments and calls in a statement change. */
function changesIn(tokens: readonly Token[]): readonly Change[] {
  return tokens.flatMap((token, at) => {
    if (assignments.has(token.text)) return placeBefore(tokens, at);
    if (steps.has(token.text)) {
      const behind = placeBefore(tokens, at);
      return behind.length > 0 ? behind : placeAfter(tokens, at);
    }
    const argument = tokens[at + 1]?.text === "(" ? written.get(token.text) : undefined;
    return argument === undefined ? [] : pointedTo(tokens, at, argument);
  });
}

function placeBefore(tokens: readonly Token[], operator: number): readonly Change[] {
  const start = placeStart(tokens, operator - 1);
  return start === undefined
    ? []
    : [{ at: tokens[operator]!.start, from: tokens[start]!.start, to: tokens[operator - 1]!.end }];
}

/** `++book->count`: all that a place can be made of. */
function placeAfter(tokens: readonly Token[], operator: number): readonly Change[] {
  let last = operator + 1;
  for (let depth = 0; last < tokens.length; last++) {
    const { text } = tokens[last]!;
    if ("([".includes(text)) depth++;
    if (")]".includes(text) && --depth < 0) break;
    if (depth === 0 && !isWord(tokens[last]) && !links.has(text) && !")]*".includes(text)) break;
  }
  const [first, end] = [tokens[operator + 1], tokens[last - 1]];
  return first === undefined || last - 1 <= operator
    ? []
    : [{ at: tokens[operator]!.start, from: first.start, to: end!.end }];
}

/** The argument of a call, without the & in front of it. */
function pointedTo(tokens: readonly Token[], called: number, argument: number): readonly Change[] {
  let [depth, count, from] = [0, 0, called + 2];
  for (let at = called + 1; at < tokens.length; at++) {
    const { text } = tokens[at]!;
    if ("([".includes(text)) depth++;
    const isEnd = (text === "," && depth === 1) || (")]".includes(text) && --depth === 0);
    if (!isEnd) continue;
    if (count++ === argument) {
      const first = tokens[from]?.text === "&" ? from + 1 : from;
      return first >= at
        ? []
        : [
            {
              called: tokens[called]!.text,
              at: tokens[called]!.start,
              from: tokens[first]!.start,
              to: tokens[at - 1]!.end,
            },
          ];
    }
    from = at + 1;
  }
  return [];
}

/** Columns count from 1; 0 is the line as a whole. `by`: which changes count. */
export function changedText(
  line: string,
  column: number,
  by: (change: Change) => boolean = () => true,
): string | undefined {
  const statements = statementsOf(tokensOf(line));
  const holds = (tokens: readonly Token[]) => tokens[0]!.start < column && column <= tokens.at(-1)!.end;
  const whole = statements.map(withoutHead).filter((tokens) => tokens.length > 0);
  const here = column > 0 ? whole.filter(holds) : whole;
  const changes = here.flatMap(changesIn).filter(by);
  const [only, another] = changes;
  const chosen = another === undefined ? only : changes.find(({ at }) => at === column - 1);
  return chosen && line.slice(chosen.from, chosen.to);
}

type Line = Pick<Frame, "file" | "line" | "column">;

/** What the line of a frame changes. */
export function changedOnLine(
  { file, line, column }: Partial<Line> = {},
  readSource: ReadSource,
  by?: (change: Change) => boolean,
): string | undefined {
  const text = file === undefined || line === undefined ? undefined : readSource(file)?.split("\n")[line - 1];
  return text === undefined ? undefined : changedText(text, column ?? 0, by);
}

const mostBytes = 8;

/**
 * What a store goes to, where debug information has no name for it: what its own line assigns, or what the line's call of a library
 * copies to. A compiler may make one wide store of several lines, which no line names.
 */
export function nameOfStore({ mark, frames }: PlacedMark, readSource: ReadSource): string | undefined {
  const own = ownPosition(frames, outsideTheSystem);
  if (own === undefined) return undefined;
  // A compiler makes small copies itself.
  const isOne = (mark.size ?? 0) <= mostBytes;
  if (own === 0) return changedOnLine(frames[0], readSource, ({ called }) => isOne || called !== undefined);
  const library = frames[own - 1]!.function ?? "";
  return changedOnLine(frames[own], readSource, ({ called }) => called !== undefined && library.includes(called));
}
