/** Reports made by hand, for the page: places by file and line, so that a test reads as what it shows. */
import type * as document from "../../src/report/document/index.ts";

export const logSource = `struct log { uint64_t len; char pad[56]; struct record rec[1000]; };

/* Appends a message; the length makes it count. */
static void append(struct log *log, const char *text) {
    uint64_t k = log->len;
    strncpy(log->rec[k].text, text, sizeof log->rec[k].text);
    log->rec[k].sum = checksum(log->rec[k].text);
    pmem_flush(&log->rec[k], sizeof log->rec[k]);
    log->len = k + 1;   // publishes the record
    pmem_persist(&log->len, sizeof log->len);
}

static int check(const struct log *log) {
    for (uint64_t i = 0; i < log->len; i++)
        if (log->rec[i].sum != checksum(log->rec[i].text)) {
            fprintf(stderr, "record %lu is damaged\\n", i);
            return 1;
        }
    printf("%lu records\\n", log->len);
    return 0;
}

int main(int argc, char **argv) {
    struct log *log = map(argv[1]);
    if (argc > 2)
        return check(log);
    for (int i = 0; i < 20; i++)
        append(log, message(i));
}
`;

type Call = readonly [name: string, line: number] | readonly [name: string, library: string];

export class ReportBuilder {
  readonly frames: document.Frame[] = [];
  readonly places: document.Place[] = [];
  readonly #file: string;

  constructor(file = "/home/you/log/log.c") {
    this.#file = file;
  }

  /** Calls, innermost first: of the user's with their lines, of libraries with their modules. */
  place(...calls: readonly Call[]): number {
    const indexes = calls.map(([name, where], at) => this.#frame(name, where, at));
    const own = calls.findIndex(([, where]) => typeof where === "number");
    return this.places.push({ frames: indexes, ...(own >= 0 && { own }) }) - 1;
  }

  #frame(name: string, where: number | string, at: number): number {
    const address = `0x${(0x40_1000 + this.frames.length * 16 + at).toString(16)}`;
    const frame: document.Frame =
      typeof where === "number"
        ? { address, function: name, file: this.#file, line: where, column: 5, module: "/home/you/log/log" }
        : { address, function: name, module: `/usr/lib/x86_64-linux-gnu/${where}`, offset: "0x12f0", library: true };
    return this.frames.push(frame) - 1;
  }

  report(findings: readonly document.Finding[], more: Partial<document.Report> = {}): document.Report {
    const count = (severity: document.Severity) => findings.filter((finding) => finding.severity === severity).length;
    const rules = [...new Map(findings.map(({ rule, severity }) => [rule, severity])).entries()];
    return {
      schema: "blackout-report",
      version: 2,
      tool: { name: "Blackout", version: "0.1.0" },
      run: {
        command: "check",
        engines: ["inject", "rules"],
        program: ["./log", "pool"],
        recovery: ["./log", "pool", "check"],
        events: 638,
      },
      summary: {
        errors: count("error"),
        performance: count("performance"),
        warnings: count("warning"),
        suppressed: 0,
      },
      findings,
      rules: rules.map(([id, severity]) => ({
        id,
        severity,
        title: id,
        sentence: `What ${id} finds.`,
        advice: "Mend it.",
      })),
      frames: this.frames,
      places: this.places,
      sources: [{ file: this.#file, excerpts: [{ from: 1, lines: logSource.trimEnd().split("\n") }] }],
      ...more,
    };
  }
}

/** A finding of a rule at one place. */
export const ruleFinding = (
  fingerprint: string,
  place: number,
  more: Partial<document.Finding> = {},
): document.Finding => ({
  fingerprint,
  rule: "missing-flush",
  severity: "error",
  headline: "log.c:9: store never flushed in append",
  message: "the store of 8 bytes at 0x100000 (value 0x2) was never flushed",
  advice: "Flush the line after the store, and fence.",
  count: 1,
  places: [
    {
      role: "cause",
      says: "the store was never flushed",
      event: 6,
      thread: 1,
      place,
      address: "0x100000",
      size: 8,
      value: "0x2",
    },
  ],
  ...more,
});
