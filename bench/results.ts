/** The sections of bench/RESULTS.md: a run of some benches puts its own into the place of theirs, and leaves the others. */

const headingOf = (section: string): string => section.slice(0, section.indexOf("\n") + 1 || section.length).trim();

/** The sections of a page, each from its heading on. */
export const sectionsOf = (page: string): string[] =>
  page
    .split(/^(?=## )/m)
    .filter((part) => part.startsWith("## "))
    .map((section) => section.trimEnd());

/** Sections with those that were measured anew, where the old ones stood or behind them. */
export function withSections(old: readonly string[], measured: readonly string[]): string[] {
  const byHeading = new Map(old.map((section) => [headingOf(section), section]));
  for (const section of measured) byHeading.set(headingOf(section), section);
  return [...byHeading.values()];
}
