import { expect, it } from "vitest";
import { actsByItself } from "./inside-library.ts";

it.each([
  ["_mm_clflush", "/usr/lib/gcc/x86_64-linux-gnu/12/include/emmintrin.h", "/home/me/store", false],
  ["_mm_clflush", "/usr/lib/llvm-14/lib/clang/14.0.6/include/emmintrin.h", "/home/me/store", false],
  ["std::vector<int>::push_back", "/usr/include/c++/12/bits/stl_vector.h", "/home/me/store", false],
  ["copy_nonoverlapping", "/rustc/a1b2/library/core/src/intrinsics.rs", "/home/me/store", false],
  ["flush", "/home/me/.cargo/registry/src/pmem-0.1.0/src/lib.rs", "/home/me/store", true],
  ["pmem_flush", undefined, "/usr/lib/x86_64-linux-gnu/libpmem.so.1", false],
  ["pmem_map_file", undefined, "/usr/lib/x86_64-linux-gnu/libpmem.so.1", true],
  ["pmemobj_persist", undefined, "/usr/lib/x86_64-linux-gnu/libpmemobj.so.1", false],
  ["pmemobj_create", undefined, "/usr/lib/x86_64-linux-gnu/libpmemobj.so.1", true],
])("%s of %s, in %s: acts by itself %s", (name, file, module, byItself) => {
  expect(actsByItself({ function: name, file, module })).toBe(byItself);
});
