/** `blackout explain RULE`: the rule's page of docs/rules, as text. Without a rule: which there are. */
import type { Command } from "commander";
import { InputError, nearestName, printable } from "../../base/index.ts";
import type { RuleInfo } from "../../crash/finding/index.ts";
import { stdoutLine } from "../../host/index.ts";
import { markdownText } from "../../report/render/index.ts";
import { allRules, builtFile } from "../pipeline/index.ts";
import { exitCode } from "./exit-codes.ts";
import { ownCommand, withExamples } from "./options.ts";
import { paint, terminalWidth, wantsColor } from "./terminal.ts";

export const explainCommandLine = (): Command =>
  withExamples(
    ownCommand("blackout explain")
      .description(
        "Prints what a rule finds, why it matters, how to fix it, when it is no bug, and how to suppress it.",
      )
      .argument("[rule]", "a rule's name, as in error[missing-flush]; without it, all rules are listed"),
    ["blackout explain missing-flush", "what the finding means, with an example and its fix"],
    ["blackout explain", "lists the rules"],
  );

export const explainedRules = (): readonly string[] => [...allRules().keys()];

function listRules(rules: ReadonlyMap<string, RuleInfo>): void {
  const idWidth = Math.max(...[...rules.keys()].map(({ length }) => length));
  const severityWidth = "performance".length;
  for (const { id, severity, title } of rules.values())
    stdoutLine(`${id.padEnd(idWidth)}  ${severity.padEnd(severityWidth)}  ${title}`);
}

/** The pages by their rules, which the build put into one file. */
function rulePage(id: string): string {
  const pages: unknown = JSON.parse(new TextDecoder().decode(builtFile("rules.json", "What explains rules")));
  return (pages as Readonly<Record<string, string>>)[id]!;
}

export async function explainCommand(args: readonly string[]): Promise<number> {
  const command = explainCommandLine();
  command.parse([...args], { from: "user" });
  const rules = allRules();
  const [id] = command.args;
  if (id === undefined) {
    listRules(rules);
    return exitCode.clean;
  }
  if (!rules.has(id)) {
    const near = nearestName(id, [...rules.keys()]);
    const hint = near === undefined ? "blackout explain lists them." : `Did you mean ${near}?`;
    throw new InputError("explain/rule", `There is no rule "${printable(id)}". ${hint}`, { id });
  }
  const width = terminalWidth(process.stdout.isTTY ? process.stdout.columns : undefined);
  const colors = wantsColor("auto", process.stdout.isTTY);
  stdoutLine(markdownText(rulePage(id), width, colors ? paint : undefined), "coloured");
  return exitCode.clean;
}
