/**
 * Links from "list.c:31" in a report to the line in an editor, for terminals that have them (OSC 8,
 * https://gist.github.com/egmontkob/eb114294efbcd5adb1944c9f3cb5feda). Always: what is linked is a file and a line that the report names;
 * a name that two files of it have is left alone.
 */
import { hostname } from "node:os";
import { resolve } from "node:path";
import { InputError } from "../../base/index.ts";
import type { Report } from "../../report/document/index.ts";

/** What `--editor` knows by name; anything else is an address with {file} in it. */
const editors: Readonly<Record<string, string>> = {
  file: "file://{host}{file}",
  vscode: "vscode://file{file}:{line}",
  cursor: "cursor://file{file}:{line}",
  idea: "idea://open?file={file}&line={line}",
  emacs: "emacs://open?url=file://{file}&line={line}",
  textmate: "txmt://open?url=file://{file}&line={line}",
};
export const editorWords = `${Object.keys(editors).join(", ")}, an address with {file} and {line}, or none`;

/** An address, or undefined for no links at all. */
export function editorFormat(text: string): string {
  const format = Object.hasOwn(editors, text) ? editors[text]! : text;
  if (text !== "none" && !/^[a-z][a-z\d+.-]*:.*\{file\}/i.test(format))
    throw new InputError("cli/editor", `--editor is one of ${editorWords}, not ${text}.`, { text });
  return format;
}

type Environment = Readonly<Record<string, string | undefined>>;

const knownPrograms = new Set(["iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio"]);
/** VTE has had links without crashes since this version: GNOME's terminal and its kin. */
const oldestVte = 5000;

/** Whether the terminal has links, as it says of itself. */
export function showsLinks(environment: Environment): boolean {
  const { TERM = "", TERM_PROGRAM = "", VTE_VERSION, WT_SESSION, KONSOLE_VERSION, FORCE_HYPERLINK } = environment;
  if (FORCE_HYPERLINK !== undefined) return FORCE_HYPERLINK !== "0";
  if (knownPrograms.has(TERM_PROGRAM) || WT_SESSION !== undefined || KONSOLE_VERSION !== undefined) return true;
  return Number(VTE_VERSION ?? 0) >= oldestVte || /^(xterm-kitty|alacritty|foot)/.test(TERM);
}

const encoded = (path: string): string => path.split("/").map(encodeURIComponent).join("/");

/** The only file of the report that each name stands for. */
function filesByName({ frames }: Report, directory: string): ReadonlyMap<string, string | undefined> {
  const files = new Map<string, string | undefined>();
  for (const { file } of frames) {
    if (file === undefined) continue;
    const [name, path] = [file.slice(file.lastIndexOf("/") + 1), resolve(directory, file)];
    files.set(name, files.has(name) && files.get(name) !== path ? undefined : path);
  }
  return files;
}

const linked = (address: string, text: string): string => `\u001b]8;;${address}\u001b\\${text}\u001b]8;;\u001b\\`;

/** Nothing else of the text changes. */
export function withLinks(text: string, report: Report, format: string): string {
  if (format === "none") return text;
  const files = filesByName(report, report.run.directory ?? process.cwd());
  const lines = new Set(report.frames.map(({ file = "", line }) => `${file.slice(file.lastIndexOf("/") + 1)}:${line}`));
  return text.replaceAll(/([\w+-][\w.+-]*):(\d+)/g, (found, name: string, line: string) => {
    const file = lines.has(found) ? files.get(name) : undefined;
    if (file === undefined) return found;
    const values = { file: encoded(file), line, host: hostname() };
    return linked(
      format.replaceAll(/\{(file|line|host)\}/g, (_, key: keyof typeof values) => values[key]),
      found,
    );
  });
}
