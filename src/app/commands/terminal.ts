/** How wide a terminal is, and whether it shows colours. */
import pc from "picocolors";
import type { Paint } from "../../report/render/index.ts";

export const colorChoices = ["auto", "always", "never"] as const;
export type ColorChoice = (typeof colorChoices)[number];

/** Also for files and pipes, so that two reports of one run are equal. */
export const usualColumns = 80;
const fewest = 40;
const most = 120;

export const terminalWidth = (columns: number | undefined): number =>
  Math.min(most, Math.max(fewest, columns ?? usualColumns));

/** picocolors hears NO_COLOR and FORCE_COLOR; what the user says here counts more. */
export const wantsColor = (choice: ColorChoice, onTerminal: boolean): boolean =>
  choice === "always" || (choice === "auto" && onTerminal && pc.isColorSupported);

const colors = pc.createColors(true);
const painters = {
  error: colors.red,
  performance: colors.yellow,
  warning: colors.cyan,
  strong: colors.bold,
  faint: colors.dim,
} as const;

export const paint: Paint = (text, how) => painters[how](text);
