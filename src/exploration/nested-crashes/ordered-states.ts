/** From orders to crash states: files, lines and what had been printed, and recoveries traced on them. */

import { type PlannedPoints, PointView, planPoints, type TracePoints } from "../../crash/recovery-tree/index.ts";
import type { FileVersions, Layout } from "../../crash/states/index.ts";
import type { FileVersion } from "../../machine/index.ts";
import { type LineContents, pathFromText } from "../../machine/index.ts";
import type { Platform } from "../../model/pmem/index.ts";
import type { TracedRecoveries, TracedRecovery } from "../../session/subject/index.ts";
import { type CrashOrder, filesKey, orderKey } from "./orders.ts";
import { Recent } from "./recent.ts";

/** A recovery with the points inside it. */
export interface TracedPoints extends TracedRecovery {
  readonly planned: PlannedPoints;
}

const tracesKept = 256;

export class OrderedStates {
  readonly #points: TracePoints;
  readonly #versions: FileVersions;
  readonly #traces: TracedRecoveries;
  readonly #platform: Platform;
  readonly #view: PointView;
  /** As the machine knows them, by number. */
  readonly paths: readonly string[];
  readonly #traced = new Recent<string, TracedPoints>(tracesKept);
  /** By what tells files apart. */
  readonly #numbers = new Map<string, number>();

  constructor(points: TracePoints, versions: FileVersions, traces: TracedRecoveries, platform: Platform) {
    this.#points = points;
    this.#versions = versions;
    this.#traces = traces;
    this.#platform = platform;
    this.#view = new PointView(points);
    this.paths = points.tables.paths.map(pathFromText);
  }

  layout(order: CrashOrder): Layout {
    return {
      version: this.filesNumber(order),
      files: () => this.files(order),
      lines: this.lines(order),
      acknowledged: [this.#points.printed(order.point)],
      // Nothing follows the recovery here.
      operation: 0,
    };
  }

  /** The same for the same files. */
  filesNumber({ point, files }: CrashOrder): number {
    const key = files === undefined ? `${this.#points.version(point, this.#versions)}` : filesKey(files);
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    return number;
  }

  files({ point, files }: CrashOrder): FileVersion {
    if (files === undefined) return this.#versions.read(this.#points.version(point, this.#versions));
    return this.traced(files.by).history.read(files.version);
  }

  /** All lines that anybody stored to. */
  lines({ point, lines }: CrashOrder): readonly LineContents[] {
    this.#view.moveTo(point);
    const own = new Map<string, LineContents>();
    for (let line = 0; line < this.#points.lines; line++) {
      if (!this.#points.isStored(line, point)) continue;
      const { file, index } = this.#points.place(line);
      const bytes = this.#points.bytes(this.#view.high[line]!);
      own.set(`${file} ${index}`, { path: this.paths[file]!, index, bytes });
    }
    for (const [file, index, ...words] of lines) {
      const bytes = new Uint8Array(Int32Array.from(words).buffer);
      own.set(`${file} ${index}`, { path: this.paths[file!]!, index: index!, bytes });
    }
    return [...own.values()];
  }

  traced(order: CrashOrder): TracedPoints {
    return this.#traced.get(orderKey(order), () => this.#trace(order));
  }

  #trace(order: CrashOrder): TracedPoints {
    const layout = this.layout(order);
    const recovery = this.#traces.trace(layout);
    const { trace, history, firstVersion } = recovery;
    const before = { acknowledged: layout.acknowledged, firstVersion };
    return { ...recovery, planned: planPoints(trace, history, this.#platform, before) };
  }
}
