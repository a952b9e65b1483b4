/**
 * Findings as JUnit's XML, in the form that CI systems read (the elements and attributes that Jenkins, GitLab and GitHub
 * actions agree on). Always: a rule is a class and each of its findings a test case; a rule that found nothing is one test
 * case that passed. Findings below the bar, and those of the baseline, passed too, and say what they have to say in system-out.
 */

import { type Severity, severities } from "../../crash/finding/index.ts";
import type * as document from "../document/index.ts";
import { shownFrame } from "../document/index.ts";
import { placeText } from "./place-text.ts";
import { findingText, type TextOptions } from "./text.ts";

export interface JunitOptions extends TextOptions {
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

const classOf = (rule: string): string => `blackout.${rule}`;
const titleOf = ({ rules }: document.Report, { rule, headline }: document.Finding): string =>
  rules.find(({ id }) => id === rule)?.title ?? headline;

function caseOf(report: document.Report, finding: document.Finding, options: JunitOptions): string {
  const { rule, message, places, fingerprint } = finding;
  const frame = places[0] && shownFrame(report, places[0].place);
  const place = frame === undefined ? "" : ` in ${placeText(frame)}`;
  const text = escapedText(findingText(report, finding, options));
  const attributes = {
    classname: classOf(rule),
    name: `${titleOf(report, finding)}${place} [${fingerprint}]`,
    file: frame?.file,
    line: frame?.file === undefined ? undefined : frame.line,
    time: 0,
  };
  const said = fails(finding, options)
    ? element("failure", { message, type: rule }, [text])
    : element("system-out", {}, [text]);
  return element("testcase", attributes, [said]);
}

const fails = ({ severity, known }: document.Finding, { failOn }: JunitOptions): boolean =>
  known !== true && severities.indexOf(severity) <= severities.indexOf(failOn);

export function reportJunit(report: document.Report, options: JunitOptions): string {
  const { findings, rules, run } = report;
  const silent = rules.filter(({ id }) => findings.every(({ rule }) => rule !== id));
  const cases = [
    ...findings.map((finding) => caseOf(report, finding, options)),
    ...silent.map(({ id, title }) => element("testcase", { classname: classOf(id), name: title, time: 0 })),
  ];
  const failures = findings.filter((finding) => fails(finding, options)).length;
  const totals = { tests: cases.length, failures, errors: 0, skipped: 0, time: 0 };
  const suite = element("testsuite", { name: run.program?.join(" ") ?? run.command, ...totals }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "blackout", ...totals }, [suite])}`;
}
