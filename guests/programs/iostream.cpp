// Streams: formatting of every kind, string streams, files, and what a failed read leaves behind.
#include <algorithm>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

int main() {
  std::cout << std::boolalpha << true << ' ' << std::hex << std::showbase << 255 << std::dec << '\n';
  std::cout << std::setprecision(17) << 0.1 << ' ' << 1e300 << ' ' << std::scientific << 12345.678 << '\n';
  std::cout << std::fixed << std::setprecision(3) << -2.0005 << ' ' << std::setw(10) << std::setfill('*') << 3.14159 << '\n';
  std::cout << std::numeric_limits<double>::infinity() << ' ' << 1.0L / 3.0L << '\n';
  std::ostringstream out;
  for (int i = 0; i < 10; i++) out << i * i << (i < 9 ? "," : "");
  std::istringstream in(out.str());
  std::vector<int> numbers;
  for (std::string part; std::getline(in, part, ',');) numbers.push_back(std::stoi(part));
  std::sort(numbers.rbegin(), numbers.rend());
  for (int number : numbers) std::cout << number << ' ';
  std::cout << '\n';
  std::ofstream("streams.txt") << "first line\nsecond 2 line\n" << 2.5 << '\n';
  std::ifstream file("streams.txt");
  std::string word;
  int count = 0;
  while (file >> word) count++;
  std::cout << "words " << count << " eof " << file.eof() << " last " << word << '\n';
  int number = 7;
  std::istringstream("abc") >> number;
  std::cout << "failed read " << number << '\n';
  for (std::string line; std::getline(std::cin, line);) std::cout << std::quoted(line) << '\n';
  std::cerr << "to the other stream\n";
  return 3;
}
