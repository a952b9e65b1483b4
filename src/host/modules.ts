/** Modules that are only named at run time: rules of the user's own. */
type Importer = (url: string) => Promise<Record<string, unknown>>;

let importer: Importer = (url) => import(url);

export const importModule: Importer = (url) => importer(url);

/** For the bundle, which is a script: a script cannot import, so what loads it lends it this. */
export function importWith(other: Importer): void {
  importer = other;
}
