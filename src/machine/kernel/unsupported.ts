/** System calls the machine does not have, each with its reason. They fail with ENOSYS and are reported once per site. */
import type { SyscallName } from "./numbers.ts";

const processes = "a guest is one process; run what it would start as its own guest";
export const network = "the machine has no network";
const messages = "System V and POSIX message queues, semaphores and shared memory need other processes";
const administration = "only a system's administrator may do this, and a guest is none";
const kernelOnly = "Linux itself no longer implements it";
const watching = "the file tree sends no change notices";
const asynchronous = "asynchronous I/O rings are not modelled; programs fall back to ordinary calls";
const descriptors = "this kind of descriptor is not modelled";
const otherProcess = "there is no other process";
const introspection = "the kernel's own tracing and profiling do not exist here";
const segments = "segment descriptors are not modelled; use arch_prctl";
const obsolete = "it was replaced by a newer call long ago";
const pages = "page placement and page keys are not modelled";
const namespaces = "namespaces and mounts are fixed";
const handles = "file handles are not modelled";

// biome-ignore format: columns stay aligned
const groups = {
  [processes]: ["fork", "vfork", "execveat"],
  [network]: ["socketpair"],
  [messages]: ["shmget", "shmat", "shmctl", "shmdt", "semget", "semop", "semctl", "semtimedop", "msgget", "msgsnd", "msgrcv",
    "msgctl", "mq_open", "mq_unlink", "mq_timedsend", "mq_timedreceive", "mq_notify", "mq_getsetattr"],
  [administration]: ["syslog", "vhangup", "pivot_root", "adjtimex", "clock_adjtime", "chroot", "acct", "mount", "umount2",
    "swapon", "swapoff", "reboot", "sethostname", "setdomainname", "iopl", "ioperm", "init_module", "finit_module",
    "delete_module", "quotactl", "quotactl_fd", "kexec_load", "kexec_file_load"],
  [kernelOnly]: ["create_module", "get_kernel_syms", "query_module", "nfsservctl", "getpmsg", "putpmsg", "afs_syscall",
    "tuxcall", "security", "vserver", "epoll_ctl_old", "epoll_wait_old", "uselib", "_sysctl", "restart_syscall",
    "lookup_dcookie"],
  [watching]: ["inotify_init", "inotify_init1", "inotify_add_watch", "inotify_rm_watch", "fanotify_init", "fanotify_mark"],
  [asynchronous]: ["io_setup", "io_destroy", "io_getevents", "io_pgetevents", "io_submit", "io_cancel", "io_uring_setup",
    "io_uring_enter", "io_uring_register"],
  [descriptors]: ["signalfd", "signalfd4", "timerfd_create", "timerfd_settime", "timerfd_gettime", "userfaultfd", "splice",
    "tee", "vmsplice", "memfd_secret"],
  [otherProcess]: ["ptrace", "kcmp", "process_vm_readv", "process_vm_writev", "process_madvise", "process_mrelease",
    "pidfd_send_signal", "pidfd_open", "pidfd_getfd"],
  [introspection]: ["perf_event_open", "bpf", "seccomp", "landlock_create_ruleset", "landlock_add_rule",
    "landlock_restrict_self", "add_key", "request_key", "keyctl"],
  [segments]: ["modify_ldt", "set_thread_area", "get_thread_area"],
  [obsolete]: ["getdents", "ustat", "sysfs", "remap_file_pages"],
  [pages]: ["migrate_pages", "move_pages", "pkey_mprotect", "pkey_alloc", "pkey_free", "set_mempolicy_home_node",
    "sched_setattr", "sched_getattr", "futex_waitv"],
  [namespaces]: ["unshare", "setns", "open_tree", "move_mount", "fsopen", "fsconfig", "fsmount", "fspick", "mount_setattr"],
  [handles]: ["name_to_handle_at", "open_by_handle_at"],
} as const satisfies Record<string, readonly SyscallName[]>;

export type UnsupportedName = (typeof groups)[keyof typeof groups][number];

export const unsupported = Object.fromEntries(
  Object.entries(groups).flatMap(([reason, names]) => names.map((name) => [name, reason])),
) as Readonly<Record<UnsupportedName, string>>;
