// Threading Building Blocks: its scheduler, its containers, its locks.
#include <iostream>
#include <numeric>
#include <tbb/tbb.h>
#include <vector>

int main() {
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, 4);
  std::vector<long> numbers(20000);
  std::iota(numbers.begin(), numbers.end(), 1);
  tbb::parallel_for(tbb::blocked_range<size_t>(0, numbers.size()), [&](auto &range) {
    for (size_t i = range.begin(); i != range.end(); i++) numbers[i] = numbers[i] * numbers[i] % 10007;
  });
  long sum = tbb::parallel_reduce(
      tbb::blocked_range<size_t>(0, numbers.size()), 0L,
      [&](auto &range, long so_far) {
        for (size_t i = range.begin(); i != range.end(); i++) so_far += numbers[i];
        return so_far;
      },
      std::plus<>());
  tbb::concurrent_hash_map<int, int> map;
  tbb::parallel_for(0, 2000, [&](int i) {
    tbb::concurrent_hash_map<int, int>::accessor place;
    map.insert(place, i % 500);
    place->second++;
  });
  long total = 0;
  for (auto &[key, value] : map) total += value;
  tbb::parallel_sort(numbers.begin(), numbers.end());
  tbb::spin_rw_mutex lock;
  long counter = 0;
  tbb::parallel_for(0, 500, [&](int) {
    tbb::spin_rw_mutex::scoped_lock guard(lock, true);
    counter++;
  });
  std::cout << sum << ' ' << map.size() << ' ' << total << ' ' << numbers.front() << ' ' << numbers.back() << ' '
            << std::is_sorted(numbers.begin(), numbers.end()) << ' ' << counter << '\n';
}
