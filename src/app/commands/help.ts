/**
 * How a command's help looks: what matters most first, then groups that fit a screen each. `-h` stops after the first. An option
 * that the table does not name stays in the group that its command gave it.
 */
import { type Command, Help, type HelpConfiguration, type Option } from "commander";

const mostUsed = "Most used:";

/** The groups in the order in which they are printed; "" is where those stand that commands made themselves. */
const groups: Readonly<Record<string, readonly string[]>> = {
  [mostUsed]: ["recover", "setup", "pm", "pm-mode", "oracle", "time", "format", "report", "html", "config"],
  "": [],
  "What counts as a failure:": [
    ...["expect-exit", "then", "platform", "creation", "hang-limit", "leaks", "checksum", "find-checksums"],
  ],
  "Which runs, crashes and recoveries:": [
    ...["schedule", "schedules", "granularity", "all-points", "points", "max-states", "max-executions", "depth"],
    ...["memo", "rules", "explore", "executions", "stop", "annotations", "jobs"],
  ],
  "Fixes:": ["fix", "verify", "fix-point"],
  "What is known and accepted:": [
    ...["disable", "suppressions", "gen-suppressions", "baseline", "save-baseline", "fail-on", "allow-empty"],
  ],
  "The report:": ["show", "verbose", "color", "editor", "mine", "notMine", "source", "bundle", "witness", "stats"],
  "Work that was interrupted:": ["journal", "resume"],
  "Rules and engines of your own:": ["rule", "engine"],
  "The program and its machine:": ["seed", "rw", "root", "read", "env", "pm-heap", "jit"],
  "Limits:": [],
};

const groupsByName = new Map(Object.entries(groups).flatMap(([group, names]) => names.map((name) => [name, group])));
const nameOf = ({ long = "" }: Option): string => long.replace(/^--(no-)?/, "");

const groupOf = (option: Option): string => groupsByName.get(nameOf(option)) ?? option.helpGroupHeading ?? "Options:";

/** Known groups in the table's order; a command's own ones take their place among them. */
export function optionGroups(options: readonly Option[]): Map<string, Option[]> {
  const own = [...new Set(options.map(groupOf))].filter((group) => !Object.hasOwn(groups, group));
  const names = Object.keys(groups).flatMap((group) => (group === "" ? own : [group]));
  const found = names.map((group) => [group, options.filter((option) => groupOf(option) === group)] as const);
  return new Map(
    found.filter(([, members]) => members.length > 0).map(([group, members]) => [group, inOrder(group, members)]),
  );
}

/** In the table's order; what it does not name comes in the command's, behind. */
function inOrder(group: string, options: readonly Option[]): Option[] {
  const order = groups[group] ?? [];
  const at = (option: Option) => (order.includes(nameOf(option)) ? order.indexOf(nameOf(option)) : order.length);
  return [...options].sort((a, b) => at(a) - at(b));
}

/** What is meant where nothing is said, where that is not nothing. */
function defaultWords({ defaultValue, required, optional }: Option): string {
  const isSaid = required || optional;
  const isNothing = defaultValue === undefined || (Array.isArray(defaultValue) && defaultValue.length === 0);
  return !isSaid || isNothing ? "" : ` (default: ${String(defaultValue)})`;
}

const isHelp = (option: Option): boolean => option.long === "--help";

/** Commander's help, with what is said here in place of it. */
export const helpStyle = (isBrief: () => boolean): HelpConfiguration => ({
  optionDescription: (option) => `${option.description}${defaultWords(option)}`,
  groupItems: ((
    all: readonly (Option | Command)[],
    visible: readonly (Option | Command)[],
    getGroup: (item: never) => string,
  ) => {
    if (!visible.some((item) => "long" in item))
      return new Help().groupItems([...all], [...visible], getGroup as never);
    const options = (visible as readonly Option[]).filter((option) => !isHelp(option));
    const found = optionGroups(options);
    const first = found.get(mostUsed);
    return isBrief() && first !== undefined ? new Map([[mostUsed, first]]) : found;
  }) as NonNullable<HelpConfiguration["groupItems"]>,
});

/** Behind a brief help that left something out. */
export function moreWords(command: Command): string {
  const more = command.options.filter((option) => groupOf(option) !== mostUsed).length;
  const hasFirst = command.options.length > more;
  return hasFirst ? `\n${command.name().replace(" ", " help ")} shows ${more} more options, in groups.` : "";
}
