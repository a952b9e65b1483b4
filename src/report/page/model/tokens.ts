/** Colours for source lines of C, C++ and Rust: a line at a time, without more of the language than its words. */
export interface Token {
  readonly kind: "plain" | "comment" | "string" | "number" | "keyword";
  readonly text: string;
}

const keywords = new Set(
  `alignas auto bool break case catch char class const constexpr continue default delete do double else enum explicit
  extern false float for friend goto if inline int long namespace new noexcept nullptr operator private protected
  public register return short signed sizeof static struct switch template this throw true try typedef typename
  union unsigned using virtual void volatile while as async await crate dyn fn impl in let loop match mod move mut
  pub ref self Self trait type unsafe use where size_t uint8_t uint16_t uint32_t uint64_t int8_t int16_t int32_t
  int64_t u8 u16 u32 u64 i32 i64 usize NULL`.split(/\s+/),
);
const pattern =
  /(\/\/.*|\/\*.*?(?:\*\/|$)|^\s*\*(?:\s.*|\/.*)?$)|("(?:\\.|[^"\\])*"?|'(?:\\.|[^'\\])'|<[\w./-]+\.h>)|(\b\d[\w.]*)|([A-Za-z_]\w*)/g;

export function tokensOf(line: string): Token[] {
  const tokens: Token[] = [];
  let done = 0;
  for (const match of line.matchAll(pattern)) {
    const [text, comment, string, number] = match;
    if (match.index > done) tokens.push({ kind: "plain", text: line.slice(done, match.index) });
    done = match.index + text.length;
    const word = keywords.has(text) ? "keyword" : "plain";
    tokens.push({ kind: comment ? "comment" : string ? "string" : number ? "number" : word, text });
  }
  if (done < line.length) tokens.push({ kind: "plain", text: line.slice(done) });
  return tokens;
}
