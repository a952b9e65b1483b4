/** Functions as people call them. */
import { expect, it } from "vitest";
import { bareName } from "./bare-name.ts";

// biome-ignore format: columns stay aligned
it.each([
  ["append",                                                                   "append"],
  ["HashMap<unsigned long, unsigned long>::insert(unsigned long, unsigned long)", "HashMap::insert"],
  ["void HashMap<unsigned long>::settle<std::pair<int, int> >(int const&) const", "HashMap::settle"],
  ["unsigned long sum<int>(int)",                                              "sum"],
  ["(anonymous namespace)::Queue::push(int (*)(char))",                        "Queue::push"],
  ["Less::operator()(int, int) const",                                         "Less::operator()"],
  ["std::ostream& operator<< <char>(std::ostream&, char)",                     "operator<<"],
  ["Slot::operator bool() const",                                              "Slot::operator bool"],
  ["Pool::operator new(unsigned long)",                                        "Pool::operator new"],
  ["main::{lambda(int)#1}::operator()(int) const",                             "main::{lambda#1}::operator()"],
  ["Tree::grow() const::{lambda()#2}::operator()() const",                     "Tree::grow::{lambda#2}::operator()"],
  ["Tree::~Tree()",                                                            "Tree::~Tree"],
  ["insert(int) [clone .cold]",                                                "insert"],
  ["decltype(auto) pick<int>(int)",                                            "pick"],
  ["kv::Store::insert::{{closure}}",                                           "kv::Store::insert::{{closure}}"],
  ["<kv::Store as core::ops::Drop>::drop",                                     "<kv::Store as core::ops::Drop>::drop"],
])("%s is %s", (name, bare) => {
  expect(bareName(name)).toBe(bare);
});
