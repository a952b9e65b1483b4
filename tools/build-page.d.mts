/** The page without a report. */
export function buildPage(): Promise<string>;
