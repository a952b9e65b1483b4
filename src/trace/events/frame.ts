/** One call, as a report shows it. */
export interface Frame {
  /** Code address in the guest, or as a log gave it. */
  readonly address: number;
  readonly function: string | undefined;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  /** The mapped file that holds the code. */
  readonly module: string | undefined;
  /** Of the code within that file's own addresses, where the file is known. */
  readonly offset: number | undefined;
  /** True when this frame's code was inlined into the next frame's function. */
  readonly inlined: boolean;
}
