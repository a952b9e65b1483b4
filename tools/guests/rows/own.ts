/** Our own programs below guests/programs, in C, C++ and Rust. */
import type { Row } from "../rows.ts";

const lines = 'one line\nand "another"\n';
const one = (args: readonly string[] = []) => [{ command: ["{program}", ...args], input: lines }];
const modern = ["-std=c++20", "-O2", "-pthread"];

const endings = ["exit", "abort", "null", "divide", "illegal", "term", "pipe", "stack"];

export const ownRows: readonly Row[] = [
  { name: "C: language", source: "language.c", flags: ["-O2", "-lm"], steps: one(["an argument"]) },
  {
    name: "C: language, static",
    source: "language.c",
    flags: ["-O2", "-static", "-lm"],
    steps: one(["x"]),
    ignore: /^dlsym/,
  },
  {
    name: "C: language, static-pie",
    source: "language.c",
    flags: ["-O0", "-static-pie", "-lm"],
    steps: one(["y"]),
    ignore: /^dlsym/,
  },
  { name: "C: ways to end", source: "crash.c", steps: endings.map((how) => ({ command: ["{program}", how] })) },
  { name: "C++: streams", source: "iostream.cpp", flags: modern, steps: one(), quick: true },
  { name: "C++: streams, static", source: "iostream.cpp", flags: [...modern, "-static"], steps: one() },
  { name: "C++: exceptions", source: "exceptions.cpp", flags: modern, steps: one(), quick: true },
  { name: "C++: threads", source: "threads.cpp", flags: modern, steps: one() },
  { name: "C++: containers", source: "containers.cpp", flags: modern, steps: one() },
  { name: "C++: shared mutex", source: "shared-mutex.cpp", flags: modern, steps: one() },
  { name: "C++: TBB", source: "tbb.cpp", flags: [...modern, "-ltbb"], needs: "/usr/include/tbb/tbb.h", steps: one() },
  { name: "Rust", source: "hello.rs", flags: [], needs: "rustc", steps: one() },
];
