/** Readiness: what poll and select ask of a descriptor, and epoll instances over it (poll(2), epoll(7)). */
import { descriptionOf, freeDescriptor, install, isReadable, isWritable } from "./descriptors.ts";
import { errno } from "./errno.ts";
import { EPOLL, EPOLL_CTL, O, POLL } from "./flags.ts";
import { mountIndex } from "./mounts.ts";
import { addAnonymous, counterOf, PIPE_BUF, pipeOf } from "./pipes.ts";
import type { Description, Epoll, Interest } from "./state.ts";
import type { Tree } from "./tree.ts";
import type { EpollEvent } from "./types.ts";

const IN = POLL.IN | POLL.RDNORM;
const OUT = POLL.OUT | POLL.WRNORM;
const NESTING_MAX = 5;

export function readiness(tree: Tree, fd: number): number {
  const description = descriptionOf(tree, fd);
  if (description === undefined || description.target.kind === "path") return POLL.NVAL;
  return readyBits(tree, description);
}

function readyBits(tree: Tree, description: Description): number {
  const { target } = description;
  switch (target.kind) {
    case "pipe-read": {
      const pipe = pipeOf(tree, target.object);
      return (pipe.size > 0 ? IN : 0) | (pipe.writers === 0 ? POLL.HUP : 0);
    }
    case "pipe-write": {
      const pipe = pipeOf(tree, target.object);
      return (pipe.capacity - pipe.size >= PIPE_BUF ? OUT : 0) | (pipe.readers === 0 ? POLL.ERR : 0);
    }
    case "eventfd": {
      const { count } = counterOf(tree, target.object);
      return (count > 0n ? IN : 0) | (count < 2n ** 64n - 2n ? OUT : 0);
    }
    case "epoll":
      return epollOf(tree, target.object).interests.some((interest) => reportable(tree, interest) !== 0) ? IN : 0;
    case "stream":
      return (isReadable(description) ? IN : 0) | (isWritable(description) ? OUT : 0);
    default:
      return IN | OUT;
  }
}

const epollOf = (tree: Tree, object: number): Epoll => tree.object(object) as Epoll;

export function epollCreate(tree: Tree, flags: number): number {
  if ((flags & ~O.CLOEXEC) !== 0) return -errno.EINVAL;
  const free = freeDescriptor(tree, 0);
  if (free < 0) return free;
  const object = tree.addObject<Epoll>({ kind: "epoll", interests: [] });
  const inode = addAnonymous(tree, 0, mountIndex.anonymous, "anon_inode:[eventpoll]");
  const description = tree.addDescription({ flags: O.RDWR, offset: 0, inode, target: { kind: "epoll", object } });
  return install(tree, description, flags !== 0);
}

export function epollControl(tree: Tree, epfd: number, operation: number, fd: number, event: EpollEvent): number {
  const epoll = descriptionOf(tree, epfd);
  const watched = descriptionOf(tree, fd);
  if (epoll === undefined || watched === undefined || watched.target.kind === "path") return -errno.EBADF;
  if (["file", "directory", "text"].includes(watched.target.kind)) return -errno.EPERM;
  if (epoll.target.kind !== "epoll" || epoll.id === watched.id) return -errno.EINVAL;
  const { object } = epoll.target;
  const { interests } = epollOf(tree, object);
  const index = interests.findIndex((known) => known.fd === fd && known.description === watched.id);
  const { events, data } = event;
  const interest: Interest = {
    fd,
    description: watched.id,
    events,
    data,
    disabled: false,
    reported: 0,
    activity: 0,
  };
  if (operation === EPOLL_CTL.ADD) {
    if (index >= 0) return -errno.EEXIST;
    if (leadsTo(tree, watched, object, 0)) return -errno.ELOOP;
    return setInterests(tree, object, [...interests, interest]);
  }
  if (operation !== EPOLL_CTL.MOD && operation !== EPOLL_CTL.DEL) return -errno.EINVAL;
  if (index < 0) return -errno.ENOENT;
  return setInterests(
    tree,
    object,
    operation === EPOLL_CTL.MOD ? interests.with(index, interest) : interests.toSpliced(index, 1),
  );
}

function setInterests(tree: Tree, object: number, interests: readonly Interest[]): number {
  tree.editObject<Epoll>(object, "epoll").interests = interests;
  tree.noteChange();
  return 0;
}

/** Whether watching a description would close a circle of epolls, or nest them too deep. */
function leadsTo(tree: Tree, { target }: Description, object: number, depth: number): boolean {
  if (target.kind !== "epoll") return false;
  if (target.object === object || depth >= NESTING_MAX) return true;
  return epollOf(tree, target.object).interests.some((interest) => {
    const watched = tree.description(interest.description);
    return watched !== undefined && leadsTo(tree, watched, object, depth + 1);
  });
}

/** The bits an interest would report now; 0 when it has nothing to say. */
function reportable(tree: Tree, interest: Interest): number {
  const description = tree.description(interest.description);
  if (description === undefined || interest.disabled) return 0;
  const wanted = (interest.events & 0xffff) | POLL.ERR | POLL.HUP;
  const ready = readyBits(tree, description) & wanted;
  if (!isEdgeTriggered(interest)) return ready;
  const isNews = (ready & ~interest.reported) !== 0 || activityOf(tree, interest) !== interest.activity;
  return isNews ? ready : 0;
}

const isEdgeTriggered = ({ events }: Interest): boolean => events >= EPOLL.ET || events < 0;

function activityOf(tree: Tree, interest: Interest): number {
  const target = tree.description(interest.description)?.target;
  if (target?.kind === "pipe-read") return pipeOf(tree, target.object).activity.incoming;
  if (target?.kind === "pipe-write") return pipeOf(tree, target.object).activity.outgoing;
  if (target?.kind !== "eventfd") return 0;
  const { incoming, outgoing } = counterOf(tree, target.object).activity;
  return ((interest.events & POLL.IN) !== 0 ? incoming : 0) + ((interest.events & POLL.OUT) !== 0 ? outgoing : 0);
}

/** Takes ready events in order of registration; when the list is cut short, those reported go to its end. */
export function epollTake(tree: Tree, epfd: number, max: number): readonly EpollEvent[] | number {
  const epoll = descriptionOf(tree, epfd);
  if (epoll === undefined) return -errno.EBADF;
  if (epoll.target.kind !== "epoll" || max <= 0) return -errno.EINVAL;
  const { object } = epoll.target;
  const events: EpollEvent[] = [];
  const waiting: Interest[] = [];
  const reported: Interest[] = [];
  const kept = epollOf(tree, object).interests.filter(({ description }) => tree.description(description) !== undefined);
  for (const interest of kept) {
    const bits = reportable(tree, interest);
    const takes = bits !== 0 && events.length < max;
    if (takes) events.push({ events: bits, data: interest.data });
    (takes ? reported : waiting).push(takes ? afterReport(tree, interest, bits) : forgetOld(tree, interest));
  }
  if (events.length === 0) return events;
  const inOrder = kept.map(
    (old) =>
      [...waiting, ...reported].find((now) => now.fd === old.fd && now.description === old.description) as Interest,
  );
  tree.editObject<Epoll>(object, "epoll").interests = events.length === max ? [...waiting, ...reported] : inOrder;
  return events;
}

const afterReport = (tree: Tree, interest: Interest, bits: number): Interest => ({
  ...interest,
  disabled: (interest.events & EPOLL.ONESHOT) !== 0,
  reported: bits,
  activity: activityOf(tree, interest),
});

/** Bits that went away in the meantime are news when they come back. */
function forgetOld(tree: Tree, interest: Interest): Interest {
  const description = tree.description(interest.description);
  const ready = description === undefined ? 0 : readyBits(tree, description);
  return { ...interest, reported: interest.reported & ready };
}
