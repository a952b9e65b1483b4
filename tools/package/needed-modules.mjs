/** The modules that the package needs, with those that they need, as npm has put them here; of those for other systems none is. */
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const modules = resolve(import.meta.dirname, "../../node_modules");

export function neededModules(names, found = new Map()) {
  for (const name of names) {
    const folder = join(modules, name);
    if (found.has(name) || !existsSync(folder)) continue;
    found.set(name, { name, folder });
    const { dependencies = {}, optionalDependencies = {} } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    neededModules([...Object.keys(dependencies), ...Object.keys(optionalDependencies)], found);
  }
  return [...found.values()];
}
