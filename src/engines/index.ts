/** The analyses, each a folder of its own; none of them knows another. */
export * from "./rules/index.ts";
