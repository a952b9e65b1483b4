/** Who imports whom: the tables of src/layers.ts held against every import, and against being longer than needed. */
import ts from "typescript";
import { apart, awaited, type Ban, innerLayers, type LayerTable, layers } from "../../src/layers.ts";
import { importsOf } from "./imports.ts";
import { isTest, lineOf, type Source, type Violation } from "./sources.ts";

/** The folder right below `scope` that a path lies in: "machine" for src/machine/kernel/table.ts; undefined outside and at its top. */
export function folderOf(path: string, scope = "src"): string | undefined {
  if (!path.startsWith(`${scope}/`)) return undefined;
  const parts = path.slice(scope.length + 1).split("/");
  return parts.length > 1 ? parts[0] : undefined;
}

/** Each table with the folder whose subfolders it speaks of. */
export const allTables: readonly (readonly [scope: string, table: LayerTable])[] = [
  ["src", layers],
  ...Object.entries(innerLayers).map(([folder, table]) => [`src/${folder}`, table] as const),
];

/** Imports of one folder below `scope` by another, tests aside. */
const crossings = (source: Source, scope: string) =>
  importsOf(source).flatMap(({ node, target }) => {
    const [folder, other] = [folderOf(source.path, scope), target && folderOf(target, scope)];
    return folder === undefined || other === undefined || other === folder ? [] : [{ node, folder, other }];
  });

/** Imports that go up the layer table, or to a folder that is not in it. */
export function layerViolations(sources: readonly Source[], table: LayerTable = layers, scope = "src"): Violation[] {
  return sources.flatMap((source) => {
    const folder = folderOf(source.path, scope);
    if (folder === undefined || isTest(source.path)) return [];
    const allowed = table[folder];
    if (allowed === undefined)
      return [{ path: source.path, line: 1, says: `folder ${folder} of ${scope} is not in src/layers.ts` }];
    return crossings(source, scope)
      .filter(({ other }) => !allowed.includes(other))
      .map(({ node, other }) => {
        return { path: source.path, line: lineOf(source, node), says: `${folder} may not import ${other}` };
      });
  });
}

/** Rows without a folder, entries that no import needs, and folders that are waited for although they are there. */
export function unusedLayers(
  sources: readonly Source[],
  table: LayerTable = layers,
  scope = "src",
  waiting: Readonly<Record<string, string>> = awaited,
): Violation[] {
  const code = sources.filter(({ path }) => !isTest(path));
  const folders = new Set(code.map(({ path }) => folderOf(path, scope)));
  const used = new Set(
    code.flatMap((source) => crossings(source, scope).map(({ folder, other }) => `${folder} ${other}`)),
  );
  const waits = (folder: string) => scope === "src" && folder in waiting;
  const says = (text: string): Violation => ({ path: "src/layers.ts", line: 1, says: text });
  const rows = Object.keys(table).filter((folder) => !folders.has(folder) && !waits(folder));
  const entries = Object.entries(table).flatMap(([folder, below]) =>
    below
      .filter((other) => folders.has(folder) && !used.has(`${folder} ${other}`) && !waits(other))
      .map((other) => says(`${folder} imports nothing of ${other}: drop the entry`)),
  );
  const arrived = scope === "src" ? Object.keys(waiting).filter((folder) => folders.has(folder)) : [];
  return [
    ...rows.map((folder) => says(`there is no folder ${scope}/${folder}: drop its row`)),
    ...entries,
    ...arrived.map((folder) => says(`src/${folder} is there: nobody waits for it any longer`)),
  ];
}

/** A cycle in a layer table, as a path through it. */
export function layerCycle(table: LayerTable = layers): string[] | undefined {
  const walk = (folder: string, above: readonly string[]): string[] | undefined => {
    if (above.includes(folder)) return [...above.slice(above.indexOf(folder)), folder];
    for (const below of table[folder] ?? []) {
      const cycle = walk(below, [...above, folder]);
      if (cycle) return cycle;
    }
    return undefined;
  };
  for (const folder of Object.keys(table)) {
    const cycle = walk(folder, []);
    if (cycle) return cycle;
  }
  return undefined;
}

/** Entries of a table that stand after the row they are in: a table reads from the lowest storey up. */
export function disorder(table: LayerTable = layers): string[] {
  const rows = Object.keys(table);
  return rows.flatMap((row, at) =>
    table[row]!.filter((below) => rows.indexOf(below) >= at).map((below) => `${below} stands after ${row}`),
  );
}

const isBelow = (path: string, folder: string): boolean => path.startsWith(`src/${folder}/`);

/** Imports that the tables allow and a ban does not. */
export const banned = (sources: readonly Source[], bans: readonly Ban[] = apart): Violation[] =>
  sources.flatMap((source) =>
    bans
      .filter(({ from }) => isBelow(source.path, from) && !isTest(source.path))
      .flatMap(({ from, to, why }) =>
        importsOf(source)
          .filter(({ target }) => target !== undefined && to.some((folder) => isBelow(target, folder)))
          .map(({ node, target }) => {
            return { path: source.path, line: lineOf(source, node), says: `${from} may not import ${target}: ${why}` };
          }),
      ),
  );

/** Sides of bans that no folder has. */
export function emptyBans(sources: readonly Source[], bans: readonly Ban[] = apart): string[] {
  const isThere = (folder: string): boolean => sources.some(({ path }) => isBelow(path, folder));
  return bans.flatMap(({ from, to }) => [from, ...to]).filter((folder) => !isThere(folder));
}

/** The index through which a file in another folder is imported: of a storey that has none, the inner folder's. */
function indexOf(target: string, scope: string, paths: ReadonlySet<string>): string {
  const outer = `${scope}/${folderOf(target, scope)}`;
  const inner = folderOf(target, outer);
  return paths.has(`${outer}/index.ts`) || inner === undefined ? `${outer}/index.ts` : `${outer}/${inner}/index.ts`;
}

/** Imports into a folder below `scope` that bypass its index.ts. Tests may look inside. */
export function indexViolations(sources: readonly Source[], scope = "src"): Violation[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap((source) => {
    if (isTest(source.path) || !source.path.startsWith(`${scope}/`)) return [];
    return importsOf(source).flatMap(({ node, target }) => {
      const folder = target === undefined ? undefined : folderOf(target, scope);
      if (target === undefined || folder === undefined || folder === folderOf(source.path, scope)) return [];
      const index = indexOf(target, scope, paths);
      if (target === index) return [];
      return [{ path: source.path, line: lineOf(source, node), says: `import ${index}, not ${target}` }];
    });
  });
}

/** The folder of src that a file is part of: of a storey with folders, one of these. */
function houseOf(path: string): string {
  const storey = folderOf(path) ?? "";
  const room = folderOf(path, `src/${storey}`);
  return room !== undefined && room in (innerLayers[storey] ?? {}) ? `${storey}/${room}` : storey;
}

/** What is made to be loaded as one: the package's surface, and the bundle. */
const surfaces: ReadonlySet<string> = new Set(["src/index.ts", "src/app/commands/bundle.ts"]);

/** Files that export what another folder owns; a storey's index speaks for the folders inside it. */
export const foreignExports = (sources: readonly Source[]): Violation[] =>
  sources
    .filter(({ path }) => path.startsWith("src/") && !isTest(path) && !surfaces.has(path))
    .flatMap((source) =>
      importsOf(source)
        .filter(({ node, target }) => ts.isExportDeclaration(node) && target !== undefined)
        .filter(({ target }) => !target!.startsWith(source.path.replace(/[^/]*$/, "")))
        .filter(({ target }) => houseOf(target!) !== houseOf(source.path))
        .map(({ node, target }) => {
          const says = `exports what belongs to ${target}: who needs it imports it from there`;
          return { path: source.path, line: lineOf(source, node), says };
        }),
    );
