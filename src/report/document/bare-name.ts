/**
 * Functions as people call them: "HashMap::remove" of `void HashMap<unsigned long>::remove<int>(int) const`, without what it
 * returns, its parameters, and the arguments of templates.
 */

/** What is passed over, or taken as it is, where it stands outside of brackets. Each row: what it looks like, what is kept of it. */
const pieces: readonly (readonly [RegExp, (text: string) => string])[] = [
  [/\(anonymous namespace\)::/y, () => ""],
  [/operator(\(\)|[^\w\s(]+| [^(]+)/y, (text) => text.trimEnd()],
  [/ (const|volatile|&&?)(?=$|::| )/y, () => ""],
  [/ (?=<)/y, () => ""],
  [/ ?\[clone [^\]]*\]/y, () => ""],
];
const opening = "<(";
const closing = ">)";

/** Names that begin with a type in brackets, as Rust's do, are as people know them. */
export function bareName(name: string): string {
  if (name.startsWith("<")) return name;
  let [bare, depth] = ["", 0];
  for (let at = 0; at < name.length; ) {
    const piece = depth === 0 ? pieceAt(name, at) : undefined;
    if (piece !== undefined) {
      bare += piece.kept;
      at = piece.end;
      continue;
    }
    const letter = name[at++]!;
    if (opening.includes(letter)) depth++;
    else if (closing.includes(letter)) depth--;
    else if (depth === 0) bare = letter === " " ? "" : bare + letter; // What stands before a space is what it returns.
  }
  return bare === "" ? name : bare;
}

function pieceAt(name: string, at: number): { readonly kept: string; readonly end: number } | undefined {
  for (const [pattern, kept] of pieces) {
    pattern.lastIndex = at;
    const [text] = pattern.exec(name) ?? [];
    if (text !== undefined) return { kept: kept(text), end: at + text.length };
  }
  return undefined;
}
