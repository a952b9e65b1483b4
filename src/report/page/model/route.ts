/** What the page shows, as the part of its address behind the #: links to a finding, an event and the run can be sent. */
export interface Route {
  readonly view: "findings" | "run";
  /** Of the finding that is shown. */
  readonly fingerprint?: string;
  /** The event of its timeline that is chosen. */
  readonly event?: number;
}

export function routeFrom(hash: string): Route {
  const words = new URLSearchParams(hash.replace(/^#/, ""));
  const fingerprint = words.get("finding");
  const event = words.get("event");
  return {
    view: words.has("run") ? "run" : "findings",
    ...(fingerprint !== null && { fingerprint }),
    ...(event !== null && /^\d{1,15}$/.test(event) && { event: Number(event) }),
  };
}

export function hashOf({ view, fingerprint, event }: Route): string {
  const words = new URLSearchParams();
  if (view === "run") words.set("run", "");
  if (fingerprint !== undefined) words.set("finding", fingerprint);
  if (event !== undefined) words.set("event", String(event));
  return `#${words.toString()}`;
}
