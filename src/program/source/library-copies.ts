/**
 * The copies of libpmem and libpmemobj that leave what they wrote durable, or flushed, in the place of the C library's. Always: the
 * same bytes are written in the same place, and the value is the same; what would have to be evaluated twice is left alone.
 */
import { functionAround, rootVariable } from "./functions.ts";
import { hasEffect, type RepeatableCalls } from "./repeatable.ts";
import type { SourceNode } from "./syntax.ts";

/** Whose copies a program can call at a place: libpmemobj's take the pool, which may have to be found by the destination. */
export type LibraryCopies =
  | { readonly library: "libpmem" }
  | { readonly library: "libpmemobj"; pool(destination: string): string };

/** Durable when it returns, or flushed and to be fenced by somebody else. */
export type CopyStrength = "durable" | "flushed";

export interface LibraryCopy {
  readonly node: SourceNode;
  /** The call that takes its place. */
  readonly text: string;
  /** Whether the destination is a parameter as it came: volatile memory may come that way as well. */
  readonly isAnyMemory: boolean;
}

/** What the libraries call it; the arguments are the C library's but for those of a string. */
const verbs: Readonly<Record<string, string>> = {
  memcpy: "memcpy",
  memmove: "memmove",
  memset: "memset",
  strcpy: "memcpy",
};

/** Undefined for calls that no library has a persisting one for: what snprintf writes is known only afterwards. */
export function libraryCopy(
  node: SourceNode,
  copies: LibraryCopies,
  strength: CopyStrength,
  repeatable: RepeatableCalls,
): LibraryCopy | undefined {
  const name = node.childForFieldName("function")?.text.replace(/^std::/, "") ?? "";
  const verb = node.type === "call_expression" && Object.hasOwn(verbs, name) ? verbs[name] : undefined;
  const given = node.childForFieldName("arguments")?.namedChildren.filter((one) => one?.type !== "comment") ?? [];
  const [to, from] = given;
  if (verb === undefined || !to || !from) return undefined;
  const isSaidTwice =
    (name === "strcpy" && hasEffect(from, repeatable)) ||
    (copies.library === "libpmemobj" && hasEffect(to, repeatable));
  if (isSaidTwice) return undefined;
  const size = name === "strcpy" ? [`strlen(${from.text}) + 1`] : [];
  const args = [...given.map((one) => one!.text), ...size];
  const isAnyMemory = isWhole(to) && isParameter(rootVariable(to), node);
  return { node, text: callOf(verb, args, copies, strength), isAnyMemory };
}

function callOf(verb: string, args: readonly string[], copies: LibraryCopies, strength: CopyStrength): string {
  const isDurable = strength === "durable";
  if (copies.library === "libpmem") return `pmem_${verb}_${isDurable ? "persist" : "nodrain"}(${args.join(", ")})`;
  const all = [copies.pool(args[0]!), ...args].join(", ");
  // Of memmove there is no pmemobj_memmove_persist.
  if (isDurable && verb !== "memmove") return `pmemobj_${verb}_persist(${all})`;
  return `pmemobj_${verb}(${all}, ${isDurable ? "0" : "PMEMOBJ_F_MEM_NODRAIN"})`;
}

/** A variable, perhaps cast, and nothing that it leads to. */
const isWhole = (node: SourceNode): boolean =>
  node.type === "identifier" ||
  ((node.type === "cast_expression" || node.type === "parenthesized_expression") &&
    isWhole(node.namedChildren.at(-1)!));

const isParameter = (name: string | undefined, node: SourceNode): boolean =>
  functionAround(node)?.parameters.some((one) => one.name === name) ?? false;
