/** `make uninstall PREFIX=DIR`: takes away what `make install` with the same PREFIX put there. */
import { rmSync } from "node:fs";
import { belowPrefix, completions, home, launcher, manual } from "./installed-paths.mjs";

const below = belowPrefix(process.argv.slice(2));
for (const path of [launcher, home, manual, ...Object.values(completions)])
  rmSync(below(path), { recursive: true, force: true });
