/** Shell patterns over whole paths: `*` and `?` stop at a slash, `**` does not, `[abc]` is one of. */
export function globPattern(glob: string): RegExp {
  const pattern = glob.replace(/\*\*|[*?]|\[[^\]]*\]|[.+^${}()|[\]\\]/g, (part) => {
    if (part === "**") return ".*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    return part.length > 1 ? part.replace(/^\[!/, "[^") : `\\${part}`;
  });
  return new RegExp(`^${pattern}$`, "s");
}
