export function releaseComplaints(facts: {
  readonly manifest: string;
  readonly lock: string;
  readonly source: string;
  readonly changelog: string;
  readonly status: string;
  readonly tags: readonly string[];
}): readonly string[];
