/** All that is kept of a program's code for one way of lifting, and its form as bytes. */
import { KeptBlocks } from "./kept-blocks.ts";
import { KeptRegions } from "./kept-regions.ts";

/** Making fewer takes no longer than keeping them does. */
const worthwhile = { blocks: 64, regions: 4 } as const;

export class KeptCode {
  readonly blocks: KeptBlocks;
  readonly regions: KeptRegions;

  constructor(blocks = new KeptBlocks(), regions = new KeptRegions()) {
    this.blocks = blocks;
    this.regions = regions;
  }

  /** What `toParts` gave, joined; it starts at a multiple of four in its buffer. Undefined if it is nothing of the kind. */
  static from(bytes: Uint8Array): KeptCode | undefined {
    if (bytes.length < 4) return undefined;
    const [length] = new Uint32Array(bytes.buffer, bytes.byteOffset, 1);
    const blocks = KeptBlocks.from(bytes.subarray(4, 4 + length!));
    return blocks && new KeptCode(blocks, KeptRegions.from(bytes.subarray(4 + length!)));
  }

  toParts(): readonly Uint8Array[] {
    const blocks = this.blocks.toParts();
    const length = blocks.reduce((sum, part) => sum + part.length, 0);
    return [new Uint8Array(new Uint32Array([length]).buffer), ...blocks, ...this.regions.toParts()];
  }

  /** Nothing more runs: what the engine has made of the regions by now is kept with them. */
  takeNativeCode(): void {
    this.regions.takeCode();
  }

  /** So much has come since `from` or `toParts` that it should be kept. */
  get hasGrown(): boolean {
    return this.blocks.added >= worthwhile.blocks || this.regions.added >= worthwhile.regions;
  }

  /** There was no room for what should be kept: much of what is there is of no use to anybody. */
  get isFull(): boolean {
    return this.blocks.refused >= worthwhile.blocks;
  }
}
