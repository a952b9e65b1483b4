/** Compressors, there and back, and digests. */
import type { Row } from "../rows.ts";
import { sampleBytes, sampleText } from "./samples.ts";

const files = { text: sampleText(3000, 3), noise: sampleBytes(20_000, 4), empty: "" };

const roundTrip = (name: string, pack: readonly string[], unpack: readonly string[], rest: Partial<Row> = {}): Row => ({
  name,
  files,
  needs: pack[0]!,
  steps: ["text", "noise", "empty"].flatMap((file) => [
    { command: [...pack, file] },
    { command: unpack, input: "previous" as const },
  ]),
  ...rest,
});

const digest = (algorithm: string, rest: Partial<Row> = {}): Row => ({
  name: `openssl ${algorithm}`,
  files,
  needs: "/usr/bin/openssl",
  steps: [{ command: ["/usr/bin/openssl", "dgst", `-${algorithm}`, "text", "noise", "empty"] }],
  ...rest,
});

export const codecRows: readonly Row[] = [
  roundTrip("gzip", ["/usr/bin/gzip", "-nc"], ["/usr/bin/gzip", "-dc"], { quick: true }),
  roundTrip("gzip -9", ["/usr/bin/gzip", "-9nc"], ["/usr/bin/gzip", "-dc"]),
  roundTrip("bzip2", ["/usr/bin/bzip2", "-c"], ["/usr/bin/bzip2", "-dc"]),
  roundTrip("xz", ["/usr/bin/xz", "-1c"], ["/usr/bin/xz", "-dc"]),
  roundTrip("zstd", ["/usr/bin/zstd", "-qc"], ["/usr/bin/zstd", "-qdc"]),
  roundTrip("zstd -15 in threads", ["/usr/bin/zstd", "-15", "-T3", "-qc"], ["/usr/bin/zstd", "-qdc"]),
  {
    name: "gzip damaged",
    files: { "bad.gz": sampleBytes(100) },
    steps: [{ command: ["/usr/bin/gzip", "-t", "bad.gz"] }],
  },
  digest("md5"),
  digest("sha256"),
  digest("sha512"),
  digest("sha3-256"),
  digest("blake2b512"),
  {
    name: "openssl cipher",
    files,
    needs: "/usr/bin/openssl",
    steps: [
      {
        command: [
          "/usr/bin/openssl",
          "enc",
          "-aes-256-ctr",
          "-K",
          "00".repeat(32),
          "-iv",
          "01".repeat(16),
          "-in",
          "text",
        ],
      },
      {
        command: ["/usr/bin/openssl", "enc", "-d", "-aes-256-ctr", "-K", "00".repeat(32), "-iv", "01".repeat(16)],
        input: "previous",
      },
      {
        command: [
          "/usr/bin/openssl",
          "enc",
          "-chacha20",
          "-K",
          "07".repeat(32),
          "-iv",
          "02".repeat(16),
          "-in",
          "noise",
        ],
      },
    ],
  },
];
