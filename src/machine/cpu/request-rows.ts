/** The rows by which the runtime records client requests itself (machine/runtime/requests.ts), of those that only become an event. */

import { isAnswered, type NotedRequest, notedRequests } from "../../trace/events/index.ts";
import { codeOf, type RequestKind, requestKinds } from "../../trace/record/index.ts";
import { cell, cpuAddress, requestRow, requestTables } from "../runtime/index.ts";

/** What persistent memory a program declares is kept beside the trace (trace/events/declared.ts), so these are not recorded alone. */
const declaring: ReadonlySet<RequestKind> = new Set(["register-mapping", "remove-mapping"]);

const offsetOf = (argument: number | undefined): number => (argument === undefined ? 0 : 8 + 8 * argument);

function wordOf({ kind, start, length, transaction }: NotedRequest): number {
  return (
    codeOf.request |
    (requestKinds.indexOf(kind) << 8) |
    (offsetOf(start) << requestRow.start.shift) |
    (offsetOf(length) << requestRow.length.shift) |
    (transaction === "own" ? requestRow.isOwn : 0) |
    (transaction === "named" ? requestRow.isNamed : 0)
  );
}

export function writeRequestRows(view: DataView): void {
  for (const { first, rows, at } of requestTables)
    for (let index = 0; index < rows; index++) {
      const row = notedRequests[first + index];
      const word =
        row !== undefined && !declaring.has(row.kind)
          ? wordOf(row)
          : isAnswered(first + index)
            ? 0
            : requestRow.isIgnored;
      view.setUint32(cpuAddress(cell.requestRows) + at + 4 * index, word, true);
    }
}
