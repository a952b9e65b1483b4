/** Starts the page on the report that it was written with. */
import { render } from "preact";
import type * as data from "../document/index.ts";
import { App } from "./app.tsx";

const embedded = document.getElementById("report")?.textContent ?? "";
const root = document.getElementById("root");
if (root !== null) {
  const report = JSON.parse(embedded) as data.Report;
  document.title = `Blackout: ${report.run.program?.join(" ") ?? report.run.command}`;
  render(<App report={report} />, root);
}
