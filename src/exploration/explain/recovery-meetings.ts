/**
 * What recovery does with a state that it fails on with every store kept: where it reads what turned a good state into this one, or what
 * it takes back of it. Asked of findings that are told, when those of one mistake are one.
 */

import { type CrashFacts, type Finding, isOfSystem } from "../../crash/finding/index.ts";
import {
  type CrashSource,
  crashedAt,
  crashOf,
  crashSteps,
  type layoutOf,
  type Moment,
  TraceCursor,
} from "../../crash/states/index.ts";
import { pathFromText } from "../../machine/index.ts";
import { type EndPlaces, ReadingPlaces } from "../../session/subject/index.ts";
import type { LeadScene } from "../../session/work/index.ts";
import type { Frame } from "../../trace/events/index.ts";
import { RecoveryChanges } from "./recovery-changes.ts";
import type { StoreFacts } from "./store-facts.ts";

type Turning = CrashFacts["turning"] & {};
type Meeting = Pick<CrashFacts, "reading" | "change">;

export class RecoveryMeetings {
  readonly #source: CrashSource;
  readonly #facts: StoreFacts;
  readonly #readings: ReadingPlaces;
  readonly #changes: RecoveryChanges;
  readonly #cursor: TraceCursor;

  constructor(scene: LeadScene, source: CrashSource, facts: StoreFacts, ends: EndPlaces) {
    this.#source = source;
    this.#facts = facts;
    this.#readings = new ReadingPlaces(() => ends.traced, scene.judging.hangLimit);
    this.#changes = new RecoveryChanges(scene);
    this.#cursor = new TraceCursor(source);
  }

  /** The finding with what is known of that. */
  told(finding: Finding): Finding {
    const { crash } = finding;
    const turning = crash?.turning;
    // Another command or another oracle complained: this recovery had ended well.
    const isEnded = crash?.expected === undefined && crash?.leaked === undefined && crash?.command === undefined;
    if (turning === undefined || !isEnded || crashSteps(crash!.witness.choices).length > 1) return finding;
    return { ...finding, crash: { ...crash!, ...this.#meeting(crash!, turning) } };
  }

  #meeting({ witness }: CrashFacts, turning: Turning): Meeting {
    const step = crashOf(witness.choices);
    const moment = this.#cursor.before(step.before);
    const crashed = crashedAt(this.#source, moment, step);
    if (crashed === undefined) return {};
    const layout = () => crashed.layout;
    if (turning.kind !== "output") return this.#reading(moment, turning, layout);
    const change = this.#changes.of(layout());
    return change === undefined ? {} : { change };
  }

  #reading({ mappings }: Moment, { mark, frames }: Turning, layout: () => ReturnType<typeof layoutOf>): Meeting {
    const { address, size = 0, seq } = mark;
    const place = address === undefined ? undefined : mappings.at(address);
    if (place === undefined) return {};
    const path = pathFromText(mappings.path(place.file));
    const persistent = new Set(mappings.paths.map(pathFromText));
    const bytes = { path, from: place.offset, to: place.offset + size };
    const reading = this.#readings.of(layout, persistent, bytes);
    if (reading === undefined || isPrivate(frames[0], reading.read.frames[0])) return {};
    const { name } = this.#facts.namedAt(seq, mappings);
    return { reading: { ...reading, ...(name !== undefined && { name }) } };
  }
}

/** What copies and compares for everybody. */
const commonLibrary = /\/lib(c|stdc\+\+)[.-][^/]*$/;

/** Whether a library stored something and reads it itself, its log for one: nothing of the user's reads it then. */
const isPrivate = (store: Frame | undefined, read: Frame | undefined): boolean =>
  store !== undefined && isOfSystem(store) && store.module === read?.module && !commonLibrary.test(store.module ?? "");
