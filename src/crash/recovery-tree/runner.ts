/**
 * Runs recovery on crash states of one point after another. Always:
 * - A run ends as one from the recovery's first instruction would; a machine that has started up already spares the rest
 *   (crash/states/started-recovery.ts).
 * - The machine stands among lines with every store; a run lays those that keep fewer.
 */
import { baseName } from "../../base/index.ts";
import { type LineContents, pathFromText } from "../../machine/index.ts";
import { type FileVersions, type RecoveryEnd, type RecoveryMachine, StartedRecovery } from "../states/index.ts";
import { type Asked, AskedList } from "./asked.ts";
import { FoldedCode } from "./folded-code.ts";
import { PointView } from "./point-view.ts";
import type { TracePoints } from "./trace-points.ts";

/** A line that holds another of its contents than the last: both by number. */
export type Held = readonly [line: number, content: number];

export class PointRunner {
  readonly #points: TracePoints;
  readonly #versions: FileVersions;
  readonly #started: StartedRecovery;
  readonly #view: PointView;
  readonly #asked: AskedList;
  readonly #folded: FoldedCode;
  readonly #acknowledgedName: string;
  readonly #paths: readonly string[];
  readonly #files: ReadonlyMap<string, number>;
  /** By line: the content that the standing machine has. */
  readonly #laid: Int32Array;
  #behind = new Set<number>();
  #stands: { readonly version: number; readonly files: number; readonly persistent: ReadonlySet<string> } | undefined;

  constructor(
    points: TracePoints,
    versions: FileVersions,
    recovery: RecoveryMachine,
    maxInstructions: number,
    checksums: readonly string[] = [],
    everything = false,
  ) {
    this.#folded = new FoldedCode(recovery.options.machine, checksums);
    this.#points = points;
    this.#versions = versions;
    this.#started = new StartedRecovery(recovery, maxInstructions);
    this.#view = new PointView(points);
    this.#asked = new AskedList(points, everything);
    this.#acknowledgedName = baseName(recovery.options.acknowledgedPath);
    this.#paths = points.tables.paths.map(pathFromText);
    this.#files = new Map(this.#paths.map((path, file) => [path, file]));
    this.#laid = new Int32Array(points.lines).fill(-1);
  }

  /** What it asked is valid until the next run. */
  run(point: number, held: readonly Held[]): { readonly asked: Asked; readonly ended: RecoveryEnd } {
    const persistent = this.#standAt(point);
    const asked = this.#asked;
    asked.begin(point);
    for (const name of this.#started.names) asked.name(name);
    const lines = held.map(([line, content]) => this.#contents(line, content));
    // Nothing follows the recovery here: neither number of an operation nor exit code is of any use to it.
    const inputs = { lines, persistent, acknowledged: [this.#points.printed(point)], operation: 0 };
    const uses = {
      halves: true as const,
      words: (path: string, numbers: Int32Array) => asked.words(this.#files.get(path)!, numbers),
      name: (name: string) => (name === this.#acknowledgedName ? asked.other("acknowledged") : asked.name(name)),
      listing: () => asked.other("listing"),
      operation: () => {},
    };
    const ended = this.#started.run(inputs, 0, uses, (instructions) =>
      this.#folded.run(instructions, (inside) => asked.fold(inside)),
    );
    return { asked: asked.asked, ended };
  }

  /** Lets the machine stand among the point's files and lines; returns the files that are persistent. */
  #standAt(point: number): ReadonlySet<string> {
    const version = this.#points.version(point, this.#versions);
    const files = this.#points.filesAt(point);
    this.#view.moveTo(point, (line) => this.#behind.add(line));
    if (this.#stands?.version !== version || this.#stands.files !== files) {
      const persistent = new Set(this.#paths.slice(0, files));
      this.#started.prepare(this.#versions.read(version), persistent);
      this.#stands = { version, files, persistent };
      this.#laid.fill(-1);
      this.#behind = new Set();
      for (let line = 0; line < this.#points.lines; line++)
        if (this.#points.isStored(line, point)) this.#behind.add(line);
    }
    if (this.#behind.size > 0) this.#layBehind();
    return this.#stands.persistent;
  }

  #layBehind(): void {
    const { high } = this.#view;
    const changed = [...this.#behind].filter((line) => this.#laid[line] !== high[line]);
    this.#behind.clear();
    if (changed.length === 0) return;
    this.#started.advance(changed.map((line) => this.#contents(line, high[line]!)));
    for (const line of changed) this.#laid[line] = high[line]!;
  }

  #contents(line: number, content: number): LineContents {
    const { file, index } = this.#points.place(line);
    return { path: this.#paths[file]!, index, bytes: this.#points.bytes(content) };
  }
}
