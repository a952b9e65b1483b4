/** What the published schema of the report has to say about a document. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import Ajv from "ajv";

export const publishedSchema = JSON.parse(
  readFileSync(resolve(import.meta.dirname, "../../src/report/document/report.schema.json"), "utf8"),
) as object;

/** Readers skip fields they do not know; we write none that the schema does not know. */
function strict(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(strict);
  if (typeof schema !== "object" || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([key, value]) => [key, strict(value)]));
  return "properties" in inner ? { ...inner, additionalProperties: false } : inner;
}

const validate = new Ajv({ allErrors: true }).compile(strict(publishedSchema) as object);

export function reportComplaints(report: unknown): string[] {
  validate(report);
  return (validate.errors ?? []).map(
    ({ dataPath, message, params }) => `${dataPath} ${message} ${JSON.stringify(params)}`,
  );
}
