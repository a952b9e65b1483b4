/** Lines that fit a terminal. */

/** Breaks a sentence at blanks; what follows the first line is indented. A word that is too long stands alone. */
export function wrapped(text: string, width: number, indent: string): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.trimStart().split(" ")) {
    const longer = line === "" ? `${/^ */.exec(text)![0]}${word}` : `${line} ${word}`;
    if (longer.length <= width || line.trim() === "") line = longer;
    else {
      lines.push(line);
      line = `${indent}${word}`;
    }
  }
  return [...lines, line];
}

/** At most so many letters, with a sign where some are left out. */
export const clipped = (text: string, width: number): string =>
  text.length <= width ? text : `${text.slice(0, Math.max(0, width - 1))}…`;
