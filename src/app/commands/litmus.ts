/**
 * `blackout litmus FILE...`: runs litmus tests on both persistency models and reports crash states, verdicts, witnesses
 * and reasons. Exit codes: 0 every verdict as written, 1 a verdict is not, 2 bad input, 3 a limit was reached, 70 the
 * models disagree.
 */
import { dirname, extname, join } from "node:path";
import { parseArgs } from "node:util";
import { InputError, printable } from "../../base/index.ts";
import {
  makeFolders,
  readText,
  stderrLine,
  stdoutLine,
  unwritable,
  wholeFile,
  writeText,
  writeTree,
} from "../../host/index.ts";
import {
  defaultLimits,
  describeCheck,
  drawExecution,
  drawingToDot,
  drawingToSvg,
  exitCodeOf,
  findExecution,
  isWrong,
  LimitReached,
  type LitmusTest,
  type ModelName,
  optionsFor,
  parseTests,
  type RunOptions,
  reportJson,
  reportTest,
  runTest,
  type TestResult,
} from "../../model/litmus/index.ts";
import { type RelationName, relationNames } from "../../model/pmem/index.ts";

export const litmusUsage = `usage: blackout litmus FILE... [options]

Runs litmus tests (JSON or herd's X86_64 text) on two models of x86 persistency.

  --model M        operational, axiomatic or both (default both; a difference is exit code 70)
  --platform P     px86 (default), eadr or strict
  --failed-cas F   fence (default) or load: what a compare-and-swap that fails does
  --test NAME      only this test (may be given more than once)
  --json           print {"<test>": {"any": [...], "end": [...], "eadr": [...]}} and nothing else
  --all-runs       with --json, the sets of every run of a test with crashes in between
  --explain        a witness or a reason for every check (default when one test is run); --no-explain for none
  --relations L    show relations of the execution by name: ${relationNames.join(",")}
  --dot PATH       draw the execution of every check; a file (one check) or a directory
  --svg PATH       the same as SVG
  --limit N        stop after N states or N times ten candidate executions (exit code 3)
`;

/** What parseArgs understands; `explain` can be negated. */
const flags = {
  model: { type: "string", default: "both" },
  platform: { type: "string", default: "px86" },
  "failed-cas": { type: "string", default: "fence" },
  test: { type: "string", multiple: true },
  json: { type: "boolean", default: false },
  "all-runs": { type: "boolean", default: false },
  explain: { type: "boolean" },
  "no-explain": { type: "boolean", default: false },
  relations: { type: "string" },
  dot: { type: "string" },
  svg: { type: "string" },
  limit: { type: "string" },
  help: { type: "boolean", short: "h", default: false },
} as const;

interface Request {
  readonly files: readonly string[];
  readonly models: readonly ModelName[];
  readonly run: RunOptions;
  readonly only: readonly string[];
  readonly json: boolean;
  readonly allRuns: boolean;
  readonly explain: boolean | undefined;
  readonly relations: readonly RelationName[];
  readonly drawings: readonly { readonly path: string; readonly kind: "dot" | "svg" }[];
}

const usageError = (sentence: string) => new InputError("cli/usage", `${sentence} See blackout litmus --help.`);

function oneOf<Choice extends string>(flag: string, given: string, choices: readonly Choice[]): Choice {
  const found = choices.find((choice) => choice === given);
  if (found === undefined) throw usageError(`--${flag} is one of ${choices.join(", ")}, not ${given}.`);
  return found;
}

function readArguments(args: readonly string[]): Request | "help" {
  let parsed: ReturnType<typeof parseFlags>;
  try {
    parsed = parseFlags(args);
  } catch (error) {
    throw usageError(`${error instanceof Error ? error.message : error}.`);
  }
  const { values, positionals } = parsed;
  if (values.help) return "help";
  if (positionals.length === 0) throw usageError("No litmus file was given.");
  const model = oneOf("model", values.model, ["operational", "axiomatic", "both"]);
  const platform = oneOf("platform", values.platform, ["px86", "eadr", "strict"]);
  const failedCas = oneOf("failed-cas", values["failed-cas"], ["fence", "load"]);
  const relations = (values.relations ?? "").split(",").filter((name) => name !== "");
  return {
    files: positionals,
    models: model === "both" ? ["operational", "axiomatic"] : [model],
    run: optionsFor(platform, failedCas, limitsFrom(values.limit)),
    only: values.test ?? [],
    json: values.json,
    allRuns: values["all-runs"],
    explain: values["no-explain"] ? false : values.explain,
    relations: relations.map((name) => oneOf("relations", name, relationNames)),
    drawings: [
      ...(values.dot === undefined ? [] : [{ path: values.dot, kind: "dot" as const }]),
      ...(values.svg === undefined ? [] : [{ path: values.svg, kind: "svg" as const }]),
    ],
  };
}

const parseFlags = (args: readonly string[]) =>
  parseArgs({ args: [...args], options: flags, allowPositionals: true, strict: true });

function limitsFrom(limit: string | undefined) {
  if (limit === undefined) return defaultLimits;
  const states = Number(limit);
  if (!Number.isSafeInteger(states) || states < 1) throw usageError(`--limit is a number above 0, not ${limit}.`);
  return { ...defaultLimits, states, candidates: states * 10 };
}

function readTests({ files, only }: Request): LitmusTest[] {
  const tests = files.flatMap((file) => parseTests({ file, text: readText(file, "litmus") }));
  const names = new Set<string>();
  const twice = tests.find(({ name }) => names.size === names.add(name).size);
  if (twice !== undefined) throw usageError(`Two tests are named ${twice.name}; give them different names.`);
  for (const name of only)
    if (!tests.some((test) => test.name === name))
      throw usageError(`There is no test named ${name} in ${files.join(", ")}.`);
  return only.length === 0 ? tests : tests.filter(({ name }) => only.includes(name));
}

function writeDrawing(path: string, text: string): void {
  try {
    makeFolders(dirname(path));
  } catch (error) {
    throw unwritable(path, error);
  }
  writeText(path, text);
}

const isFile = (path: string): boolean => [".dot", ".svg", ".gv"].includes(extname(path));

function writeDrawings({ drawings, run }: Request, tests: readonly LitmusTest[]): void {
  for (const { path, kind } of drawings) {
    const render = kind === "dot" ? drawingToDot : drawingToSvg;
    const wanted = tests.flatMap((test) => test.checks.map((check, index) => ({ test, check, index })));
    const drawn = (isFile(path) ? wanted.slice(0, 1) : wanted).flatMap(({ test, check, index }) => {
      const execution = findExecution(test, check, run);
      if (execution === undefined) return [];
      const text = render(drawExecution(test, `${test.name}: ${describeCheck(test, check)}`, execution));
      return [[`${test.name.replace(/[^\w+.-]/g, "_")}-${index + 1}.${kind}`, text] as const];
    });
    if (drawn.length === 0) continue;
    if (isFile(path)) writeDrawing(path, drawn[0]![1]);
    else writeTree(path, new Map(drawn.map(([name, text]) => [name, wholeFile(new TextEncoder().encode(text))])));
  }
}

const print = stdoutLine;
const complain = (text: string) => stderrLine(`blackout litmus: ${text}`);

interface Tally {
  readonly results: TestResult[];
  limited: number;
}

function runAll(request: Request, tests: readonly LitmusTest[]): Tally {
  const tally: Tally = { results: [], limited: 0 };
  const explain = request.explain ?? tests.length === 1;
  for (const test of tests) {
    try {
      const result = runTest(test, request.models, request.run);
      tally.results.push(result);
      if (!request.json)
        print(
          `${reportTest(result, { ...request, explain })
            .map(printable)
            .join("\n")}\n`,
        );
      else if (result.disagreement !== undefined)
        complain(
          reportTest(result, { ...request, explain: false })
            .map(printable)
            .join("\n"),
        );
    } catch (error) {
      if (!(error instanceof LimitReached)) throw error;
      tally.limited++;
      complain(`${printable(test.name)}: ${error.message}. Make the test smaller, or raise --limit.`);
    }
  }
  return tally;
}

function summarise({ results, limited }: Tally, models: readonly ModelName[]): { line: string; exitCode: number } {
  const checks = results.flatMap((result) => result.checks);
  const wrong = checks.filter(isWrong).length;
  const disagreements = results.filter(({ disagreement }) => disagreement !== undefined).length;
  const agreed = models.length > 1 ? `, the models disagree on ${disagreements}` : "";
  const stopped = limited === 0 ? "" : `, ${limited} stopped at a limit`;
  const line = `${results.length} tests, ${checks.length} checks, ${wrong} not as written${agreed}${stopped}`;
  return { line, exitCode: exitCodeOf(results, limited) };
}

export async function litmusCommand(args: string[]): Promise<number> {
  try {
    const request = readArguments(args);
    if (request === "help") {
      print(litmusUsage.trimEnd());
      return 0;
    }
    const tests = readTests(request);
    const tally = runAll(request, tests);
    writeDrawings(request, tests);
    const { line, exitCode } = summarise(tally, request.models);
    print(request.json ? reportJson(tally.results, request.allRuns) : line);
    return exitCode;
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    complain(error.message);
    return 2;
  }
}
