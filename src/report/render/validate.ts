/**
 * Whether a document is a report, by the published schema: as much of JSON Schema as that schema uses. A test compares it with
 * a full implementation.
 */
import { Bug, InputError } from "../../base/index.ts";
import type * as document from "../document/index.ts";
import { reportSchema as published } from "../document/index.ts";

type Schema = Readonly<Record<string, unknown>>;
type Check = (expected: never, value: unknown, where: string) => string | undefined;

const definitions = published.definitions as Readonly<Record<string, Schema>>;
const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  string: (value) => typeof value === "string",
  number: (value) => typeof value === "number",
  integer: Number.isInteger,
  boolean: (value) => typeof value === "boolean",
  array: Array.isArray,
  object: isObject,
};

function first<T>(items: Iterable<T>, complaint: (item: T) => string | undefined): string | undefined {
  for (const item of items) {
    const found = complaint(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The alternative that a value means to be: the one whose `kind` it has. */
function meant(alternatives: readonly Schema[], value: unknown): Schema | undefined {
  const kindOf = (schema: Schema) => (resolved(schema).properties as Record<string, Schema> | undefined)?.kind;
  return alternatives.find(
    (schema) => complaint(kindOf(schema) ?? {}, isObject(value) ? value.kind : undefined, "") === undefined,
  );
}

const resolved = (schema: Schema): Schema =>
  typeof schema.$ref === "string" ? definitions[schema.$ref.replace("#/definitions/", "")]! : schema;

const checks: Readonly<Record<string, Check>> = {
  $ref: (_: string, value, where) => complaint(resolved({ $ref: _ }), value, where),
  type: (name: string, value, where) => (types[name]!(value) ? undefined : `${where} must be a ${name}`),
  const: (only: unknown, value, where) => (value === only ? undefined : `${where} must be ${JSON.stringify(only)}`),
  enum: (all: readonly unknown[], value, where) =>
    all.includes(value) ? undefined : `${where} must be one of ${all.join(", ")}`,
  pattern: (text: string, value, where) =>
    typeof value !== "string" || new RegExp(text).test(value) ? undefined : `${where} must look like ${text}`,
  minimum: (least: number, value, where) =>
    typeof value !== "number" || value >= least ? undefined : `${where} must be at least ${least}`,
  items: (item: Schema, value, where) =>
    first(Array.isArray(value) ? value.entries() : [], ([at, each]) => complaint(item, each, `${where}[${at}]`)),
  required: (names: readonly string[], value, where) =>
    first(isObject(value) ? names : [], (name) =>
      Object.hasOwn(value as object, name) ? undefined : `${where}.${name} is missing`,
    ),
  properties: (known: Readonly<Record<string, Schema>>, value, where) =>
    first(isObject(value) ? Object.entries(value) : [], ([name, each]) =>
      Object.hasOwn(known, name) ? complaint(known[name]!, each, `${where}.${name}`) : undefined,
    ),
  allOf: (all: readonly Schema[], value, where) => first(all, (schema) => complaint(schema, value, where)),
  anyOf: (any: readonly Schema[], value, where) => {
    const schema = meant(any, value);
    return schema === undefined ? `${where} is of no known kind` : complaint(schema, value, where);
  },
};
const says = new Set(["description", "$schema", "definitions"]);

/** What is wrong with a value, first thing first; undefined when nothing is. */
function complaint(schema: Schema, value: unknown, where: string): string | undefined {
  return first(Object.entries(schema), ([keyword, expected]) => {
    if (says.has(keyword)) return undefined;
    const check = checks[keyword];
    if (check === undefined) throw new Bug(`the report's schema uses ${keyword}, which is not checked`);
    return check(expected as never, value, where);
  });
}

/** Positions that name nothing: the schema cannot say that they must. */
function danglingPlace({ places, frames, findings }: document.Report): string | undefined {
  const badPlace = places.findIndex((place) => place.frames.some((frame) => frame >= frames.length));
  if (badPlace >= 0) return `report.places[${badPlace}] names a frame that is not there`;
  const badFinding = findings.findIndex((finding) => finding.places.some(({ place }) => place >= places.length));
  return badFinding < 0 ? undefined : `report.findings[${badFinding}] names a place that is not there`;
}

export const reportComplaint = (value: unknown): string | undefined =>
  complaint(published, value, "report") ?? danglingPlace(value as document.Report);

/** A report from a file, or one sentence about why it is none. */
export function readReport(file: string, text: string): document.Report {
  const refuse = (why: string) =>
    new InputError("report/invalid", `${file} is not a report of blackout: ${why}.`, { file });
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw refuse("it is not JSON");
  }
  if (isObject(value) && value.schema === "blackout-findings")
    throw refuse("it is of version 1; write it again with this version of blackout");
  if (!isObject(value) || value.schema !== "blackout-report") throw refuse('it has no "schema": "blackout-report"');
  const wrong = reportComplaint(value);
  if (wrong !== undefined) throw refuse(wrong);
  return value as unknown as document.Report;
}
