/** Threads, what recovers, and what is true of them: of the programs in guests/prove. */
import type { CodeVerdict, ThreadCall } from "../../src/engines/index.ts";

type Rows = readonly (readonly [threads: string, recover: string, answer: CodeVerdict["answer"]])[];

export const callOf = (text: string): ThreadCall => {
  const [, name, argument] = /^(\w+)(?:\((\d+)\))?$/.exec(text)!;
  return { name: name!, args: argument === undefined ? [] : [BigInt(argument)] };
};

// biome-ignore format: a table
export const publishRows: Rows = [
  ["write_data",                                  "flag_has_data",      "safe"],
  ["write_data_unflushed",                        "flag_has_data",      "unsafe"],
  ["write_flushes_late",                          "flag_has_data",      "unsafe"],
  ["write_flushes_perhaps read_flag",             "flag_has_data",      "unsafe"],
  ["write_data read_flag",                        "seen_has_data",      "safe"],
  ["write_data_unflushed read_flag",              "seen_has_data",      "unsafe"],
  ["write_data wait_for_flag",                    "seen_has_data",      "safe up to the bound"],
  ["write_data_unflushed wait_for_flag",          "seen_has_data",      "unsafe"],
  ["write_data",                                  "flag_asserts_data",  "safe"],
  ["write_data_unflushed",                        "flag_asserts_data",  "unsafe"],
  ["write_data_unflushed",                        "nothing_to_check",   "vacuous"],
  ["add_one(0) add_one(1)",                       "count_has_all",      "safe"],
  ["add_one_carelessly(0) add_one_carelessly(1)", "count_has_all",      "unsafe"],
  ["publish(0)",                                  "head_is_whole",      "safe"],
  ["publish(0) publish(1)",                       "head_is_whole",      "safe"],
  ["publish(0) publish_unflushed(1)",             "head_is_whole",      "unsafe"],
  ["publish_by_check(0) publish_by_check(1)",     "checks_have_values", "safe"],
];

/** Of guests/prove/sizes.c. */
// biome-ignore format: a table
export const sizesRows: Rows = [
  ["store_whole",                                 "halves_differ",         "safe"],
  ["store_whole",                                 "bytes_differ",          "safe"],
  ["store_halves",                                "halves_differ",         "unsafe"],
  ["store_halves",                                "high_without_low",      "safe"],
  ["store_halves",                                "low_without_high",      "unsafe"],
  ["read_whole store_halves",                     "saw_high_without_low",  "safe"],
  ["read_whole store_halves",                     "saw_low_without_high",  "unsafe"],
  ["read_whole store_whole",                      "saw_low_without_high",  "safe"],
  ["half_and_whole(0) half_and_whole(1)",         "neither_saw_the_other", "unsafe"],
  ["half_fence_whole(0) half_fence_whole(1)",     "neither_saw_the_other", "safe"],
  ["add_256 add_1_to_byte",                       "added_is_lost",         "safe"],
  ["add_256 set_byte",                            "added_is_lost",         "unsafe"],
  ["clear_then_set(2)",                           "set_is_lost",           "safe"],
  ["store_halves",                                "repairs_high",          "safe"],
  ["data_then_flag assert_data",                  "nothing_is_wrong",      "safe"],
  ["flag_then_data assert_data",                  "nothing_is_wrong",      "unsafe"],
  ["publish_place follow_place",                  "nothing_is_wrong",      "safe"],
  ["flag_then_place follow_place",                "nothing_is_wrong",      "unsafe"],
];
