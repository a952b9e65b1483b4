/** The published schema says what the types say, and reports hold against it. `make golden UPDATE=1` writes it anew. */
import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import Ajv from "ajv";
import { describe, expect, it } from "vitest";
import { schemaOfTypes } from "./schema-of-types.ts";

const folder = resolve(import.meta.dirname, "../../src/report/document");
const types = ["places", "crash", "evidence", "finding", "report"].map((name) =>
  readFileSync(join(folder, `${name}.ts`), "utf8"),
);

describe("the published schema", () => {
  it("is that of the types", async () => {
    const text = `${JSON.stringify(schemaOfTypes(types, "Report"), undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot("../../src/report/document/report.schema.json");
  });
  it("notices when a field is renamed, added or becomes optional", () => {
    const schema = (text: string) => schemaOfTypes([text], "A");
    const now = schema("interface A { readonly a: string }");
    expect(schema("interface A { readonly b: string }")).not.toEqual(now);
    expect(schema("interface A { readonly a: string; readonly b?: string }")).not.toEqual(now);
    expect(schema("interface A { readonly a?: string }")).not.toEqual(now);
  });
  it("refuses a type that it cannot express", () => {
    expect(() => schemaOfTypes(["interface A { readonly a: keyof B }"], "A")).toThrow("no schema");
    expect(() => schemaOfTypes(["type A = string | undefined"], "A")).toThrow("no schema");
  });
  it("is a schema", () => {
    expect(new Ajv().validateSchema(schemaOfTypes(types, "Report"))).toBe(true);
  });
});
