// Containers and algorithms, printed in an order that does not depend on hashing.
#include <algorithm>
#include <any>
#include <bitset>
#include <cmath>
#include <iostream>
#include <map>
#include <memory>
#include <optional>
#include <queue>
#include <random>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

int main() {
  std::mt19937_64 random(12345);
  std::unordered_map<std::string, long> counts;
  for (int i = 0; i < 20000; i++) counts["key" + std::to_string(random() % 3000)] += i;
  std::map<std::string, long> sorted(counts.begin(), counts.end());
  long check = 0;
  for (auto &[key, value] : sorted) check = check * 31 + value + static_cast<long>(key.size());
  std::cout << counts.size() << ' ' << check << ' ' << counts.bucket_count() << '\n';
  for (int i = 0; i < 1500; i++) counts.erase("key" + std::to_string(i * 2));
  std::cout << counts.size() << '\n';
  std::unordered_set<double> doubles;
  for (int i = 0; i < 1000; i++) doubles.insert(std::sqrt(i % 321));
  std::cout << doubles.size() << '\n';
  std::priority_queue<std::pair<int, int>> heap;
  for (int i = 0; i < 1000; i++) heap.emplace(random() % 1000, i);
  long order = 0;
  for (; !heap.empty(); heap.pop()) order = order * 7 + heap.top().second;
  std::cout << order << '\n';
  std::vector<std::string> words;
  for (int i = 0; i < 2000; i++) words.push_back(std::to_string(random()));
  std::stable_sort(words.begin(), words.end(), [](auto &a, auto &b) { return a.size() < b.size(); });
  std::nth_element(words.begin(), words.begin() + 500, words.end());
  std::cout << words[500] << '\n';
  std::regex pattern(R"((\w+)@(\w+)\.com)");
  std::string text = "write to ann@example.com or bob@test.com";
  for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it)
    std::cout << (*it)[1] << " at " << (*it)[2] << '\n';
  std::variant<int, std::string, double> value = 2.5;
  std::cout << std::visit([](auto &held) { return sizeof held; }, value) << ' ' << value.index() << '\n';
  std::optional<int> nothing;
  std::cout << nothing.value_or(9) << ' ' << std::any_cast<int>(std::any(4)) << ' ' << std::bitset<20>(0xabcde) << '\n';
  std::normal_distribution<double> normal(10, 2);
  double mean = 0;
  for (int i = 0; i < 1000; i++) mean += normal(random) / 1000;
  std::cout.precision(15);
  std::cout << mean << ' ' << std::lgamma(mean) << ' ' << std::cbrt(mean) << ' ' << std::fma(mean, mean, 1) << '\n';
}
