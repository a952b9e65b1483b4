/** What is left to do when a command has ended, however it did. */
const endings: (() => void)[] = [];

export const atEnd = (work: () => void): number => endings.push(work);

export function finishCommand(): void {
  for (const work of endings.splice(0)) work();
}
