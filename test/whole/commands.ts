/** Every command on one program, and what is wrong with what they say. */
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type * as document from "../../src/report/document/index.ts";
import type { Answer, Built } from "./built.ts";
import { type Complaint, known, wrongClaims } from "./claims.ts";
import type { Node, Program } from "./program.ts";
import { type Judgement, judge } from "./twin.ts";

export const commandNames = ["check", "shallow", "explore", "robust", "represent", "trace", "replay", "fix"] as const;
export type CommandName = (typeof commandNames)[number];

/** What the twin knows, in each of the ways that a program can be understood where the model leaves them open. */
export function judgements(program: Program): readonly Judgement[] {
  const ways = [true, false].flatMap((libraryFences) =>
    [true, false].map((everyEvent) => ({ libraryFences, everyEvent })),
  );
  return ways.map((way) => judge(program, way));
}

/** An exit code that no reading of the program allows. */
function wrongVerdict(
  name: string,
  { code, stderr }: Answer,
  twins: readonly Judgement[],
  mayMiss: boolean,
): Complaint[] {
  if (code !== 0 && code !== 1) return [{ kind: `${name} exit ${code}`, says: lastLines(stderr) }];
  const right = new Set(twins.map(({ broken }) => (broken.size > 0 ? 1 : 0)));
  if (right.has(code) || (mayMiss && code === 0)) return [];
  return [
    {
      kind: `${name} ${code === 1 ? "false alarm" : "missed"}`,
      says: `${lastLines(stderr)}; ${JSON.stringify(firstOf(twins))}`,
    },
  ];
}

const firstOf = ([twin]: readonly Judgement[]) =>
  [...twin!.broken.values()].map(({ rule, after }) => ({ rule, after }));
const told = (report: document.Report | undefined): string =>
  (report?.findings ?? []).map(({ severity, rule, headline }) => `${severity}[${rule}] ${headline}`).join(" | ");
const lastLines = (text: string): string => text.trim().split("\n").slice(-6).join(" / ");

const noCrash = ({ code, stderr }: Answer, name: string): Complaint[] =>
  [0, 1].includes(code) && !/internal error|Bug:/.test(stderr)
    ? []
    : [{ kind: `${name} exit ${code}`, says: lastLines(stderr) }];

function hasLoops(nodes: readonly Node[]): boolean {
  return nodes.some(
    (node) => node.kind === "parallel" || (node.kind === "block" && (node.how === "loop" || hasLoops(node.body))),
  );
}

type Command = (built: Built, number: number, twins: readonly Judgement[]) => Promise<Complaint[]>;

export const commands: { readonly [Name in CommandName]: Command } = {
  async check(built, number, twins) {
    const answer = await built.judged("check", number, ["--no-journal", "--no-fix"]);
    const wrong = wrongVerdict("check", answer, twins, false);
    if (wrong.length > 0 || answer.code !== 1 || answer.report === undefined) return wrong;
    return wrongClaims(known(built.programs[number]!, built.written.steps[number]!), answer.report).map(
      ({ kind, says }) => ({ kind: `check ${kind}`, says }),
    );
  },
  async shallow(built, number, twins) {
    const answer = await built.judged("check", number, ["--no-journal", "--no-explore", "--no-fix"]);
    const isSure = twins.every(({ hasPlain }) => hasPlain) && !hasLoops(built.programs[number]!.nodes);
    return wrongVerdict("check --no-explore", answer, twins, !isSure);
  },
  async explore(built, number, twins) {
    const answer = await built.judged("explore", number, ["--no-journal"]);
    const wrong = wrongVerdict("explore", answer, twins, false);
    if (wrong.length > 0 || answer.code !== 1 || answer.report === undefined) return wrong;
    return wrongClaims(known(built.programs[number]!, built.written.steps[number]!), answer.report).map(
      ({ kind, says }) => ({ kind: `explore ${kind}`, says }),
    );
  },
  robust: async (built, number) => noCrash(await built.judged("robust", number, ["--no-journal"]), "robust"),
  represent: async (built, number, twins) =>
    wrongVerdict("represent", await built.judged("represent", number, ["--no-journal"]), twins, true),
  trace: async (built, number) => noCrash(await built.judged("trace", number, []), "trace"),
  /** Every witness fails again, and the page has what the text has. */
  async replay(built, number) {
    const [witness, page] = ["whole.witness", "page.html"].map((name) => join(built.folder, name)) as [string, string];
    for (const path of [witness, page]) rmSync(path, { force: true });
    const options = ["--no-journal", "--no-fix", "--witness", witness, "--html", page];
    const checked = built.run(["check", ...options, ...built.words(number, "check")]);
    const wrong = [...noCrash(checked, "check"), ...wrongPage(page, checked.stderr)];
    if (checked.code !== 1 || wrong.length > 0 || !existsSync(witness)) return wrong;
    const replayed = built.run(["replay", witness]);
    const lines = replayed.stdout.split("\n").filter((line) => line.startsWith("witness "));
    if (replayed.code === 1 && lines.length > 0 && lines.every((line) => line.includes("as recorded"))) return [];
    return [{ kind: "replay", says: `${replayed.code}: ${replayed.stdout}${replayed.stderr}` }];
  },
  async fix(built, number, twins) {
    if (twins.every(({ broken }) => broken.size === 0)) return [];
    const { code, stdout, stderr } = built.run(["fix", ...built.words(number, "fix")]);
    if (code !== 0 && code !== 1) return [{ kind: `fix exit ${code}`, says: lastLines(stderr) }];
    if (code === 1) return [];
    if (!stdout.includes("+++")) return [{ kind: "fix prints nothing", says: lastLines(stderr) }];
    let folder: string;
    try {
      folder = built.patched(stdout);
    } catch (error) {
      return [{ kind: "fix does not build", says: `${stdout}\n${error}` }];
    }
    const again = await built.judged("check", number, ["--no-journal", "--no-fix"], folder);
    return again.code === 0 ? [] : [{ kind: "fix cures nothing", says: `${stdout}\n${again.stderr}` }];
  },
};

/** The page has its data in it: as many findings as the text, at least. */
function wrongPage(page: string, text: string): Complaint[] {
  const html = existsSync(page) ? readFileSync(page, "utf8") : "";
  const data = /<script[^>]*type="application\/json"[^>]*>([\s\S]*?)<\/script>/.exec(html)?.[1];
  const told = (text.match(/^(error|warning|performance)\[/gm) ?? []).length;
  try {
    const { findings } = JSON.parse(data ?? "");
    return findings.length >= told
      ? []
      : [{ kind: "page", says: `${findings.length} findings on the page, ${told} in the text` }];
  } catch (error) {
    return [{ kind: "page", says: `${error}` }];
  }
}
