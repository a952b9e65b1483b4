/**
 * Findings as JUnit's XML, in the form that CI systems read (the elements and attributes that Jenkins, GitLab and GitHub
 * actions agree on). Always: a rule is a class and each of its findings a test case; a rule that found nothing is one test
 * case that passed. Findings below the bar passed too, and say what they have to say in system-out.
 */
import { countFindings, type Finding, inOrder, type RuleInfo, reachesBar, type Severity } from "../finding/index.ts";
import { told } from "./crash-words.ts";
import { findingText, placeText, type TextOptions } from "./text.ts";

export interface JunitOptions extends TextOptions {
  readonly suite: string;
  readonly rules: readonly RuleInfo[];
  /** From this severity on a finding is a failure. */
  readonly failOn: Severity;
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "\n": "&#10;",
  "\t": "&#9;",
  "\r": "&#13;",
};

/** Characters that XML 1.0 has no way to write. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unwritable = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;
const escaped = (text: string, special: RegExp): string =>
  text.replace(unwritable, "\ufffd").replace(special, (character) => entities[character]!);
const escapedText = (text: string): string => escaped(text, /[&<>\r]/g);
const escapedAttribute = (text: string): string => escaped(text, /[&<>"\n\t\r]/g);

type Attributes = Readonly<Record<string, string | number | undefined>>;

function element(name: string, attributes: Attributes, body: readonly string[] = []): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${escapedAttribute(String(value))}"`)
    .join("");
  return body.length === 0 ? `<${name}${written}/>` : `<${name}${written}>${body.join("\n")}</${name}>`;
}

const classOf = ({ id }: RuleInfo): string => `blackout.${id}`;

function caseOf(finding: Finding, options: JunitOptions): string {
  const { rule, says, frames, fingerprint } = finding;
  const frame = frames.find(({ file, line }) => file !== undefined && line !== undefined) ?? frames[0];
  const place = frame === undefined ? "" : ` in ${placeText(frame)}`;
  const text = escapedText(findingText(finding, options));
  const attributes = {
    classname: classOf(rule),
    name: `${rule.title}${place} [${fingerprint}]`,
    file: frame?.file,
    line: frame?.file === undefined ? undefined : frame.line,
    time: 0,
  };
  const said = fails(finding, options)
    ? element("failure", { message: says, type: rule.id }, [text])
    : element("system-out", {}, [text]);
  return element("testcase", attributes, [said]);
}

const fails = (finding: Finding, { failOn }: JunitOptions): boolean => reachesBar(countFindings([finding]), failOn);

export function reportJunit(findings: readonly Finding[], options: JunitOptions): string {
  const silent = options.rules.filter(({ id }) => findings.every(({ rule }) => rule.id !== id));
  const cases = [
    ...inOrder(findings)
      .map(told)
      .map((finding) => caseOf(finding, options)),
    ...silent.map((rule) => element("testcase", { classname: classOf(rule), name: rule.title, time: 0 })),
  ];
  const failures = findings.filter((finding) => fails(finding, options)).length;
  const totals = { tests: cases.length, failures, errors: 0, skipped: 0, time: 0 };
  const suite = element("testsuite", { name: options.suite, ...totals }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "blackout", ...totals }, [suite])}`;
}
