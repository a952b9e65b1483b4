/** blackout.config.json: every option of a command by its long name, as a pure function over the file's text. */
import { InputError, nearestName } from "../../base/index.ts";

/** What an option takes: a flag, one value, or several. */
export type OptionShape = "flag" | "value" | "values";
export type OptionShapes = Readonly<Record<string, OptionShape>>;
export type ConfigValues = Readonly<Record<string, boolean | string | readonly string[]>>;

const wrong = (file: string, what: string) => new InputError("config/value", `${file} ${what}`, { file });

const isText = (value: unknown): value is string | number => typeof value === "string" || typeof value === "number";

/** A command may be given by its words: as text, each is quoted, so that none is taken apart. */
const isWords = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.length > 0 && value.every((word) => typeof word === "string");
const commandText = (words: readonly string[]): string =>
  words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(" ");

const readers: Readonly<Record<OptionShape, (value: unknown) => boolean | string | readonly string[] | undefined>> = {
  flag: (value) => (typeof value === "boolean" ? value : undefined),
  value: (value) =>
    isText(value) ? String(value) : isWords(value) && value.length > 1 ? commandText(value) : undefined,
  values: (value) => {
    const list = (Array.isArray(value) ? value : [value]).map((each) => (isWords(each) ? commandText(each) : each));
    return list.every(isText) ? list.map(String) : undefined;
  },
};
const wanted: Readonly<Record<OptionShape, string>> = {
  flag: "true or false",
  value: "a text or a number",
  values: "a list of texts, or of lists of words",
};

/** What was meant, or what there is. */
function instead(name: string, known: readonly string[]): string {
  const near = nearestName(name, known);
  return near === undefined ? `; there are ${known.join(", ")}.` : `. Did you mean "${near}"?`;
}

/** Commands that a file may have a section for. */
const sections: readonly string[] = ["check", "explore", "represent", "robust", "trace"];

/** The options that a file sets for a command: `{ "trace": { "pm": ["/mnt/pmem/*"], "fail-on": "performance" } }`. */
export function readConfig(file: string, text: string, command: string, shapes: OptionShapes): ConfigValues {
  const document = parse(file, text);
  if (typeof document !== "object" || document === null || Array.isArray(document))
    throw wrong(file, "must hold a JSON object with a section per command.");
  const stranger = Object.keys(document).find((name) => !sections.includes(name));
  if (stranger !== undefined)
    throw wrong(file, `has a section "${stranger}", which nothing reads${instead(stranger, sections)}`);
  const section = Object.hasOwn(document, command) ? (document as Record<string, unknown>)[command] : undefined;
  if (section === undefined) return {};
  if (typeof section !== "object" || section === null || Array.isArray(section))
    throw wrong(file, `has a section "${command}" that is not a JSON object.`);
  const values: Record<string, boolean | string | readonly string[]> = {};
  for (const [name, value] of Object.entries(section)) {
    const opposite = name.replace(/^no-/, "");
    if (opposite !== name && shapes[opposite] === "flag" && typeof value === "boolean") {
      values[opposite] = !value;
      continue;
    }
    const shape = Object.hasOwn(shapes, name) ? shapes[name] : undefined;
    if (shape === undefined)
      throw wrong(
        file,
        `sets "${name}", which is no option of blackout ${command}${instead(name, Object.keys(shapes))}`,
      );
    const read = readers[shape](value);
    if (read === undefined) throw wrong(file, `sets "${name}" to ${JSON.stringify(value)}; it takes ${wanted[shape]}.`);
    values[name] = read;
  }
  return values;
}

function parse(file: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) throw wrong(file, `is not JSON: ${error.message}.`);
    throw error;
  }
}
