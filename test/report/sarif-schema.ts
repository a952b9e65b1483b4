/** The published JSON schema of SARIF 2.1.0 (Committee Specification 2.1.0-rtm.5, as @microsoft/jest-sarif carries it). */
import { createRequire } from "node:module";

interface Validator {
  (document: unknown): boolean;
  errors?: readonly { readonly dataPath: string; readonly message?: string }[] | null;
}
interface Ajv {
  addMetaSchema(schema: unknown): void;
  compile(schema: unknown): Validator;
}

/** By `require`, without their types: the packages are CommonJS and only wanted here. */
const load = createRequire(import.meta.url);

function createValidator(): Validator {
  const create = load("ajv") as new (options: object) => Ajv;
  const ajv = new create({ schemaId: "auto", meta: false, allErrors: true });
  ajv.addMetaSchema(load("ajv/lib/refs/json-schema-draft-04.json"));
  return ajv.compile(load("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json"));
}

let validator: Validator | undefined;

/** What the schema has against a document: nothing, if it is SARIF. */
export function sarifComplaints(text: string): readonly string[] {
  validator ??= createValidator();
  validator(JSON.parse(text));
  return (validator.errors ?? []).map(({ dataPath, message }) => `${dataPath} ${message}`);
}
