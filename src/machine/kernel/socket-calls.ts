/** Sockets do not exist: socket(2) fails, so no descriptor ever is one. */
import { F } from "../files/index.ts";
import type { Call, Handler, Result } from "./call.ts";
import { network } from "./unsupported.ts";

const EAFNOSUPPORT = 97;
const ENOTSOCK = 88;
const AF_UNIX = 1;
/** SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK: how glibc asks for its name service cache, and does well without. */
const NAME_SERVICE_CACHE = 0x80801;

function socket(call: Call): Result {
  const { process } = call;
  const isNameServiceCache = call.int(0) === AF_UNIX && call.int(1) === NAME_SERVICE_CACHE;
  if (!isNameServiceCache) process.noticeUnsupported("socket", network);
  return -EAFNOSUPPORT;
}

const onSocket: Handler = (call) => {
  const open = call.files.fcntl(call.int(0), F.GETFD, 0);
  return open < 0 ? open : -ENOTSOCK;
};

// biome-ignore format: a row per call
export const socketCalls = {
  socket,
  connect: onSocket,     accept: onSocket,     accept4: onSocket,     bind: onSocket,        listen: onSocket,
  sendto: onSocket,      recvfrom: onSocket,   sendmsg: onSocket,     recvmsg: onSocket,     sendmmsg: onSocket,
  recvmmsg: onSocket,    shutdown: onSocket,   getsockname: onSocket, getpeername: onSocket, getsockopt: onSocket,
  setsockopt: onSocket,
} as const satisfies Record<string, Handler>;
