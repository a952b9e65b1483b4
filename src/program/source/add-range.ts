/**
 * How a program says that a transaction is to know of a range before it changes: in the words that it uses for that already, else in
 * its library's. Always: what is added is all that the statement writes; undefined where the program has no words for it.
 */
import { isCpp, isRust, type SourceNode } from "./syntax.ts";
import type { WrittenRange } from "./written.ts";

/** `&D_RW(book)->count` as `book` and `count`. */
const typedField = /^&D_RW\(([^()]+)\)->(\w+)$/;

const includes = (texts: readonly string[], header: RegExp): boolean => texts.some((text) => header.test(text));
const cHeader = /#\s*include\s*[<"]libpmemobj(?:\.h|\/[\w.]+)[>"]/;
const cppHeader = /#\s*include\s*[<"]libpmemobj\+\+\//;

/** Names of functions that log or add a range. */
const adds =
  /(?:^|_)(?:tx_?(?:add|log|snapshot)\w*|add_(?:range|to_tx)\w*|snapshot\w*|log_(?:range|undo)\w*|undo_(?:add|log)\w*)$/i;

/** `tx_add(&pool->left, sizeof pool->left)`, with what comes before the range: a call in the same file or a header. */
function ownCall(roots: readonly SourceNode[]): ((range: WrittenRange) => string) | undefined {
  for (const root of roots)
    for (const call of root.descendantsOfType("call_expression")) {
      const name = call?.childForFieldName("function");
      const given = call?.childForFieldName("arguments")?.namedChildren ?? [];
      const [address, size] = given.slice(-2);
      if (name?.type !== "identifier" || !adds.test(name.text) || address?.text[0] !== "&") continue;
      if (size?.type !== "sizeof_expression" || given.length > 3) continue;
      const before = given.slice(0, -2).map((one) => `${one!.text}, `);
      return (range) => `${name.text}(${before.join("")}${range.address}, ${range.size});`;
    }
  return undefined;
}

/** `texts` are the file's and its headers'. */
export function addedRange(root: SourceNode, texts: readonly string[], range: WrittenRange): string | undefined {
  if (isRust(root)) return undefined;
  const isWhole = range.address.startsWith("&") && range.size === `sizeof(${range.address.slice(1)})`;
  if (includes(texts, cppHeader) && isCpp(root) && isWhole)
    return `pmem::obj::transaction::snapshot(${range.address});`;
  if (!includes(texts, cHeader)) return ownCall([root])?.(range);
  const [, object, field] = typedField.exec(range.address) ?? [];
  if (isWhole && object !== undefined) return `TX_ADD_FIELD(${object}, ${field});`;
  return isWhole ? `TX_ADD_DIRECT(${range.address});` : `pmemobj_tx_add_range_direct(${range.address}, ${range.size});`;
}
