export * from "./layout.ts";
