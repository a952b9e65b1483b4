// Exceptions: across frames and destructors, rethrown, nested, by base class, from a constructor, through a thread.
#include <exception>
#include <functional>
#include <future>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <typeinfo>
#include <vector>

struct Noise {
  std::string name;
  explicit Noise(std::string given) : name(std::move(given)) { std::cout << "+" << name << ' '; }
  ~Noise() { std::cout << "-" << name << ' '; }
};
struct Special : std::runtime_error {
  int code;
  explicit Special(int given) : std::runtime_error("special " + std::to_string(given)), code(given) {}
};
struct Half {
  Noise first{"first"};
  Half() { throw Special(5); }
};
static int deep(int depth) {
  Noise here("d" + std::to_string(depth));
  if (depth == 0) throw Special(42);
  return deep(depth - 1) + 1;
}
static void nested(int depth) {
  try {
    if (depth == 0) throw std::out_of_range("bottom");
    nested(depth - 1);
  } catch (...) {
    std::throw_with_nested(std::runtime_error("level " + std::to_string(depth)));
  }
}
static void print(const std::exception &error, int indent = 0) {
  std::cout << std::string(indent, ' ') << error.what() << '\n';
  try {
    std::rethrow_if_nested(error);
  } catch (const std::exception &inner) {
    print(inner, indent + 1);
  }
}

int main() {
  try {
    deep(4);
  } catch (const std::exception &error) {
    std::cout << "| " << error.what() << ' ' << dynamic_cast<const Special &>(error).code << '\n';
  }
  try {
    Half half;
  } catch (const Special &error) {
    std::cout << "| constructor " << error.code << '\n';
  }
  try {
    nested(3);
  } catch (const std::exception &error) {
    print(error);
  }
  try {
    throw 7;
  } catch (long) {
    std::cout << "wrong type\n";
  } catch (int value) {
    std::cout << "int " << value << '\n';
  }
  auto failing = std::async(std::launch::async, [] { deep(1); return 0; });
  try {
    failing.get();
  } catch (const Special &error) {
    std::cout << "| from a thread " << error.code << '\n';
  }
  try {
    std::vector<int>(3).at(9);
  } catch (const std::out_of_range &) {
    std::cout << "out of range\n";
  }
  try {
    std::function<void()>()();
  } catch (const std::bad_function_call &error) {
    std::cout << "bad call\n";
  }
  long total = 0;
  for (int i = 0; i < 2000; i++) {
    try {
      if (i % 3) throw i;
      total++;
    } catch (int value) {
      total += value;
    }
  }
  std::cout << total << ' ' << std::uncaught_exceptions() << '\n';
  std::set_terminate([] { std::cout << "terminate" << std::endl; std::_Exit(9); });
  throw std::logic_error("nobody catches this");
}
