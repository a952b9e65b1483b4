/** What a session has learnt so far, as lines that a person or a program reads while it goes on. */
import { printable, printableJson } from "../../base/index.ts";
import { type EarlyFinding, ownCalls, placeWords } from "../../crash/finding/index.ts";
import { monotonicSeconds } from "../../host/index.ts";
import type { Done, News } from "../../session/work/index.ts";
import type { ProgressPort } from "../pipeline/index.ts";

/** "so far: error[recovery-fails] at map.c:22 in insert: recovery exits with 3 where …". Undefined where a person need not know. */
export function newsText(news: News): string | undefined {
  if (news.kind !== "finding") return undefined;
  const { rule, frames, says } = news.finding;
  return printable(`so far: ${rule.severity}[${rule.id}] at ${placeWords(ownCalls(frames))}: ${says}`);
}

const jsonOf = {
  traced: ({ events }: News & { kind: "traced" }) => ({ event: "traced", events }),
  judging: ({ engine }: News & { kind: "judging" }) => ({ event: "judging", engine }),
  finding: ({ finding }: News & { kind: "finding" }) => ({ event: "finding", ...findingJson(finding) }),
} satisfies { readonly [K in News["kind"]]: (news: News & { kind: K }) => object };

function findingJson({ rule, frames, says }: EarlyFinding): object {
  const { file, line, function: name, module } = ownCalls(frames)[0] ?? {};
  return { rule: rule.id, severity: rule.severity, place: { function: name, file, line, module }, message: says };
}

const secondsBetween = 1;

/** One JSON object a line; the report is the last one, which whoever delivers it prints (`deliver.ts`). */
export class JsonLines implements ProgressPort {
  readonly #print: (text: string) => void;
  readonly #clock: () => number;
  #said: number;

  constructor(print: (text: string) => void, clock = monotonicSeconds) {
    this.#print = print;
    this.#clock = clock;
    this.#said = clock();
  }

  update({ engine, items, itemsInAll, findings }: Done): void {
    const now = this.#clock();
    if (now - this.#said < secondsBetween) return;
    this.#said = now;
    this.#line({ event: "progress", engine, judged: items, total: itemsInAll, findings });
  }

  tell(news: News): void {
    this.#line((jsonOf[news.kind] as (news: News) => object)(news));
  }

  end(): void {}

  #line(event: object): void {
    this.#print(`${printableJson(JSON.stringify(event))}\n`);
  }
}
