/** The analyses, each a folder of its own; none of them knows another. */
export * from "./inject/index.ts";
export * from "./rules/index.ts";
